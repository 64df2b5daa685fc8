//! The device: one of the catalogue, or of a file of one's own.

use std::path::Path;

use trueline::core::number::short;
use trueline_roofline::{Catalogue, Hardware, HardwareError, HardwareErrorKind, MathPath};

use crate::arguments::read_text;
use crate::failure::Failure;

/// The paths that the list of parts shows, by the name of a column.
const COLUMNS: [(&str, &[&str]); 4] = [
    ("16 bit", &["bf16_f32", "f16_f32"]),
    ("fp8", &["fp8_f32"]),
    ("int8", &["int8_int32"]),
    ("fp4", &["fp4_f32"]),
];

/// The device that some names and files ask for; files add to the catalogue, and a file of one part names it.
///
/// # Errors
/// A file that cannot be read, no or several devices, a name that is none or that of several parts.
pub(crate) fn find(asked: &[String]) -> Result<Hardware, Failure> {
    if let [name] = asked
        && !is_file(name)
    {
        return Catalogue::built_in_part(name).map_err(with_list);
    }
    let (catalogue, own, names) = catalogue(asked)?;
    match (names.as_slice(), own.as_slice()) {
        ([name], _) => catalogue.find_name(name).cloned().map_err(with_list),
        ([], [part]) => Ok(part.clone()),
        ([], []) => Err(Failure::new(
            "expected --hardware NAME or FILE.toml, found none; estimate_ceiling --list shows the parts that are known",
        )),
        ([], several) => {
            let names: Vec<&str> = several.iter().map(|part| part.name.as_str()).collect();
            Err(Failure::new(format!(
                "expected one device, found {} in the file; add --hardware NAME: {}",
                several.len(),
                names.join(", ")
            )))
        }
        (several, _) => Err(Failure::new(format!(
            "--hardware: expected one name, found {}",
            several.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// An unknown device, with how to see those that are known.
fn with_list(error: HardwareError) -> Failure {
    match error.kind() {
        HardwareErrorKind::UnknownDevice => {
            Failure::new(format!("{error}; estimate_ceiling --list shows all that are known"))
        }
        _ => Failure::from(error),
    }
}

/// The catalogue with the files asked for, their parts, and what is left: names.
fn catalogue(asked: &[String]) -> Result<(Catalogue, Vec<Hardware>, Vec<&String>), Failure> {
    let (files, names): (Vec<&String>, Vec<&String>) = asked.iter().partition(|text| is_file(text));
    let mut catalogue = Catalogue::built_in().clone();
    let mut own = Vec::new();
    for file in files {
        let text = read_text(Path::new(file))?;
        let with = catalogue.with_toml(&text).map_err(|e| Failure::new(format!("{file}: {e}")))?;
        // A file's parts come first.
        let new = |part: &&Hardware| catalogue.get(&part.name) != Some(*part);
        own.extend(with.parts().iter().take_while(new).cloned());
        catalogue = with;
    }
    Ok((catalogue, own, names))
}

fn is_file(text: &str) -> bool {
    let path = Path::new(text);
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) || path.is_file()
}

/// The parts that are known, as a table.
///
/// # Errors
/// As [`find`], for the files.
pub(super) fn list(asked: &[String]) -> Result<(Vec<String>, Vec<Hardware>), Failure> {
    let (catalogue, _, _) = catalogue(asked)?;
    let row = |name: &str, cells: [String; 3], peaks: [String; 4]| {
        let peaks = peaks.map(|peak| format!("{peak:>7}")).join(" ");
        let [memory, bandwidth, clock] = cells;
        format!("{name:<34} {memory:>8} {bandwidth:>7}  {peaks}  {clock:>6}").trim_end().to_owned()
    };
    let head = ["memory", "GB/s", "MHz"].map(str::to_owned);
    let mut lines = vec![row("Part", head, COLUMNS.map(|(name, _)| name.to_owned()))];
    for part in catalogue.parts() {
        let memory = part.memory.value().map(|m| format!("{} GiB", short(m.get() / GIB, 3)));
        let bandwidth = part.bandwidth();
        let rate = bandwidth
            .as_ref()
            .map(|rate| format!("{}{}", short(rate.high().get() / 1e9, 4), mark(rate.convicts())));
        let clock = part.max_clock.value().or_else(|| part.clock.value());
        let clock = clock.map(|clock| short(clock.get(), 4));
        let cells = [memory, rate, clock].map(|cell| cell.unwrap_or_else(unknown));
        lines.push(row(&part.name, cells, COLUMNS.map(|(_, paths)| peak(part, paths))));
    }
    lines.push(String::new());
    lines.push(
        "Dense TFLOP/s at the published clock, summed in 32 bits, and the highest clock that is known. \
         ? nobody verified it: it convicts no claim; - not known. Other parts: --hardware FILE.toml, \
         docs/ceiling.md."
            .to_owned(),
    );
    Ok((lines, catalogue.parts().to_vec()))
}

const GIB: f64 = 1_073_741_824.0;

fn peak(part: &Hardware, paths: &[&str]) -> String {
    let known = paths.iter().filter_map(|name| MathPath::parse_dense(name).ok());
    let mut rates = known.filter_map(|path| part.spec_peak(path));
    rates.next().map_or_else(unknown, |rate| {
        format!("{}{}", short(rate.high().get() / 1e12, 4), mark(rate.convicts()))
    })
}

fn mark(convicts: bool) -> &'static str {
    if convicts { "" } else { "?" }
}

fn unknown() -> String {
    "-".to_owned()
}
