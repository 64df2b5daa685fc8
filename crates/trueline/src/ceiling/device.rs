//! On which device a run was served, with which model, as far as somebody says so.

use trueline_core::{Conditions, Known, Need};
use trueline_host::{GpuState, HostRecord};
use trueline_roofline::{
    Catalogue, DeviceFacts, Hardware, HardwareErrorKind, LiveClocks, Megahertz, ModelShape,
    Speculation, Warning,
};

use super::Deployment;
use super::layouts::Layouts;
use super::said::{Said, by_word, drafts, more_devices, other_size, small_by_name};

/// What a bound is taken from.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(super) hardware: Hardware,
    /// The model's family.
    pub(super) family: String,
    pub(super) model: ModelShape,
    pub(super) layouts: Layouts,
    pub(super) speculation: Speculation,
    /// The clock that busy samples showed.
    pub(super) busy: Option<Megahertz>,
    /// What forbids to call anything impossible, in words.
    pub(super) doubts: Vec<String>,
}

/// What is known of where a run was served.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// Nothing, or not enough, was given.
    Lacking(Need),
    /// What was given cannot be taken together.
    Unclear(String),
    /// Device and model.
    Known(Box<Setting>),
}

/// Finds device and model of a run.
///
/// `conditions` are the run's with what only the claim records; `hosts` the records over it; `models` the
/// names of the models of all runs of the audit.
pub(crate) fn place_of(
    given: Option<&Deployment>,
    conditions: &Conditions,
    hosts: &[&HostRecord],
    models: &[&str],
) -> Place {
    let Some(given) = given else { return Place::Lacking(Need::Ceiling) };
    let hardware = match device(given, conditions, hosts) {
        Found::Part(part) => *part,
        Found::Unclear(why) if given.model.is_some() => return Place::Unclear(why),
        Found::Unclear(_) => return Place::Lacking(Need::ModelDescription),
        Found::Nothing if given.model.is_some() => return Place::Lacking(Need::Accelerator),
        Found::Nothing => return Place::Lacking(Need::Ceiling),
    };
    let Some(model) = &given.model else { return Place::Lacking(Need::ModelDescription) };
    if let [first, second, ..] = models {
        return Place::Unclear(format!(
            "which model the configuration is of: the runs name {first}, {second}"
        ));
    }
    let mut doubts: Vec<String> = model.warnings().iter().filter_map(doubt).collect();
    let parameters = model.totals().text.as_f64();
    if let Some(size) = conditions.get("model").and_then(|name| other_size(name, parameters)) {
        doubts.push(format!("which model it is: the run's is called {size}, the one given is not"));
    }
    let mut stored = None;
    let is_small = model.tensors().iter().any(|t| t.stored().bits_per_weight().get() < 15.9);
    if !given.states_weights() {
        match conditions.get("quantization").map_or(Said::Nothing, by_word) {
            Said::Stored(as_what) if !is_small => stored = Some(as_what),
            Said::Unclear(word) if !is_small => {
                doubts.push(format!(
                    "how weights are stored, which the run calls {word} (--weights)"
                ));
            }
            _ => {}
        }
        let named = conditions.get("model").filter(|_| stored.is_none() && !is_small);
        if let Some(word) = named.and_then(small_by_name) {
            doubts
                .push(format!("how weights are stored: the model's name says {word} (--weights)"));
        }
    }
    let model_shape = match given.plan_with(stored).shape(model) {
        Ok(shape) => shape,
        Err(error) => return Place::Unclear(error.to_string()),
    };
    let speculation = match (given.speculation, drafts(conditions)) {
        (Speculation::Unknown, Some(Ok(none))) => none,
        (Speculation::None, Some(Err(word))) => {
            doubts.push(format!("whether tokens are drafted: the run says {word} (--speculation)"));
            given.speculation
        }
        _ => given.speculation,
    };
    let of_run = conditions.get("devices").and_then(|n| n.trim().parse().ok());
    let layouts = Layouts::of(given.devices.or(of_run), given.parallel);
    if let Some(wider) = more_devices(conditions, layouts.devices()).filter(|_| layouts.known) {
        doubts.push(format!("over how many devices it ran: the run says {wider} (--devices)"));
    }
    Place::Known(Box::new(Setting {
        hardware,
        family: model.family().to_owned(),
        model: model_shape,
        layouts,
        speculation,
        busy: hosts.iter().find_map(|host| {
            let clock = host.conditions.get("gpu_clock_busy_mhz")?.trim().parse().ok()?;
            Megahertz::new(clock).ok().filter(|clock| clock.get() > 0.0)
        }),
        doubts,
    }))
}

impl Setting {
    /// The clocks that were read.
    pub(super) fn clocks(&self) -> LiveClocks {
        self.busy
            .map_or_else(LiveClocks::default, |clock| LiveClocks::default().with_processor(clock))
    }
}

/// What a warning about a model leaves open that may make its bound too low.
fn doubt(warning: &Warning) -> Option<String> {
    let may_be_less = matches!(
        warning,
        Warning::UnknownField { .. } | Warning::UnknownTensors { .. } | Warning::Disagrees { .. }
    );
    may_be_less.then(|| format!("what the model's {warning}", warning = in_words(warning)))
}

fn in_words(warning: &Warning) -> String {
    match warning {
        Warning::UnknownField { field } => format!("field {field} does"),
        Warning::UnknownTensors { first, .. } => format!("tensors such as {first} are"),
        other => format!("files mean: {other}"),
    }
}

/// A device that was looked for.
enum Found {
    Part(Box<Hardware>),
    Unclear(String),
    Nothing,
}

fn device(given: &Deployment, conditions: &Conditions, hosts: &[&HostRecord]) -> Found {
    let named = ["hardware", "gpu"].iter().find_map(|key| conditions.get(key));
    let seen = hosts.iter().find_map(|host| facts_of(host));
    if let Some(hardware) = &given.hardware {
        let of_run = named.map(|name| DeviceFacts::default().with_name(name));
        for facts in of_run.iter().chain(&seen) {
            if let Some(other) = contradiction(&given.catalogue, hardware, facts) {
                return Found::Unclear(format!(
                    "on which device it ran: {} was given, and the run or its host says {other}",
                    hardware.name
                ));
            }
        }
        return Found::Part(Box::new(hardware.clone()));
    }
    // What a driver shows says more than a name that somebody wrote.
    let facts = seen.or_else(|| Some(DeviceFacts::default().with_name(named?)));
    let found = facts.as_ref().map(|facts| (given.catalogue.find(facts), facts));
    match found {
        // One clock alone is that of many parts: the name has to fit as well.
        Some((Ok(part), facts)) if is_called(&given.catalogue, part, facts) => {
            Found::Part(Box::new(part.clone()))
        }
        Some((Ok(part), facts)) => Found::Unclear(format!(
            "on which device it ran (--hardware): {} is called {}",
            part.name,
            facts.name.as_deref().unwrap_or("nothing")
        )),
        Some((Err(error), _)) if error.kind() == HardwareErrorKind::NothingToGoBy => Found::Nothing,
        Some((Err(error), _)) => {
            Found::Unclear(format!("on which device it ran (--hardware): {error}"))
        }
        None => Found::Nothing,
    }
}

/// Whether the name among some facts may be that of a part.
fn is_called(catalogue: &Catalogue, part: &Hardware, facts: &DeviceFacts) -> bool {
    let Some(name) = &facts.name else { return false };
    match catalogue.find_name(name) {
        Ok(named) => named.name == part.name,
        Err(error) if error.kind() == HardwareErrorKind::AmbiguousDevice => {
            error.candidates().contains(&part.name)
        }
        Err(_) => false,
    }
}

/// Another device that some facts speak of, as they call it. A user's own part may be anything.
fn contradiction(
    catalogue: &Catalogue,
    hardware: &Hardware,
    facts: &DeviceFacts,
) -> Option<String> {
    let is_known = Catalogue::built_in().get(&hardware.name) == Some(hardware);
    let other = match catalogue.find(facts) {
        Ok(part) => part.name != hardware.name,
        Err(error) if error.kind() == HardwareErrorKind::AmbiguousDevice => {
            !error.candidates().contains(&hardware.name)
        }
        // What the catalogue does not know may be another name of it.
        Err(_) => false,
    };
    (is_known && other).then(|| facts.name.clone().unwrap_or_else(|| "another one".to_owned()))
}

/// What a host record shows of its GPUs, where all are of one kind.
fn facts_of(host: &HostRecord) -> Option<DeviceFacts> {
    let ends = [&host.before, &host.after];
    let states: Vec<&GpuState> = ends
        .into_iter()
        .flatten()
        .filter_map(|snapshot| match &snapshot.gpus {
            Known::Is { value, .. } => Some(value),
            Known::Not(_) => None,
        })
        .flatten()
        .collect();
    let name = |state: &GpuState| match &state.name {
        Known::Is { value, .. } => Some(value.clone()),
        Known::Not(_) => None,
    };
    let one_kind = states.windows(2).all(|pair| matches!(pair, [a, b] if name(a) == name(b)));
    let Some(first) = states.first().filter(|_| one_kind) else {
        let noted = host.conditions.get("gpu").filter(|name| !name.contains(" + "))?;
        return Some(DeviceFacts::default().with_name(noted));
    };
    let mut facts = DeviceFacts::default().with_name(name(first)?);
    let clock = first.clocks.max_memory_mhz.value().map(f64::from);
    if let Some(clock) = clock.and_then(|mhz| Megahertz::new(mhz).ok()).filter(|c| c.get() > 0.0) {
        facts = facts.with_max_mem_clock(clock);
    }
    Some(facts)
}
