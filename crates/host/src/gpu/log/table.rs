//! Lines of a comma-separated table as rows, each line accounted for.

use super::cell::{Cell, parse_header};
use super::column::{Column, Row, find};
use super::{GpuLogError, GpuLogErrorKind, GpuLogLines};

/// The rows of a table, with what became of its lines.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    pub(super) lines: GpuLogLines,
    pub(super) unknown_columns: Vec<String>,
}

/// One column as the header names it.
struct Head {
    unit: Option<String>,
    column: Option<Column>,
}

/// Reads the rows below a header, and below every further one.
pub(super) fn read_rows(text: &str) -> Result<Table, GpuLogError> {
    let mut table = Table::default();
    let mut heads: Vec<Head> = Vec::new();
    // What stands beside the last value of the lines before: a cut line lacks it.
    let mut usual_unit: Option<Option<String>> = None;
    let mut records = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .quoting(false)
        .from_reader(text.as_bytes())
        .into_byte_records()
        .peekable();
    while let Some(record) = records.next() {
        let Ok(record) = record else { break };
        let cells: Vec<String> =
            record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
        if cells.iter().all(String::is_empty) {
            continue;
        }
        table.lines.read += 1;
        if let Some(named) = parse_heads(&cells) {
            table.lines.headers += 1;
            for (head, cell) in named.iter().zip(&cells) {
                let name = parse_header(cell).0.to_owned();
                if head.column.is_none() && !table.unknown_columns.contains(&name) {
                    table.unknown_columns.push(name);
                }
            }
            (heads, usual_unit) = (named, None);
            continue;
        }
        if heads.is_empty() {
            return Err(GpuLogError::new(GpuLogErrorKind::NoHeader, quoted(&cells)));
        }
        let last = cells.last().map_or("", String::as_str);
        let unit = Cell::new(last, None).own_unit().map(str::to_owned);
        let is_last = records.peek().is_none() && !text.ends_with('\n');
        let cut = cells.len() < heads.len() || usual_unit.as_ref().is_some_and(|u| *u != unit);
        if is_last && cut {
            table.lines.torn += 1;
        } else if cells.len() == heads.len() {
            table.lines.used += 1;
            table.rows.push(row(&heads, &cells));
            usual_unit.get_or_insert(unit);
        } else {
            table.lines.rejected += 1;
        }
    }
    if table.lines.headers == 0 {
        return Err(GpuLogError::new(GpuLogErrorKind::NoHeader, "no line"));
    }
    if table.rows.is_empty() {
        return Err(GpuLogError::new(GpuLogErrorKind::NoValues, "none"));
    }
    Ok(table)
}

/// The columns that a line names, if it is a header: every cell is a name, and one is known.
fn parse_heads(cells: &[String]) -> Option<Vec<Head>> {
    let is_name = |cell: &String| {
        let name = parse_header(cell).0;
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    if !cells.iter().all(is_name) {
        return None;
    }
    let heads: Vec<Head> = cells
        .iter()
        .map(|cell| {
            let (name, unit) = parse_header(cell);
            Head { unit: unit.map(str::to_owned), column: find(name) }
        })
        .collect();
    heads.iter().any(|head| head.column.is_some()).then_some(heads)
}

fn row(heads: &[Head], cells: &[String]) -> Row {
    let mut row = Row::default();
    for (head, cell) in heads.iter().zip(cells) {
        if let Some(column) = head.column {
            column.put(&mut row, Cell::new(cell, head.unit.as_deref()));
        }
    }
    row.settle();
    row
}

/// The start of a line, for a message.
fn quoted(cells: &[String]) -> String {
    let line: String = cells.join(", ").chars().take(60).collect();
    format!("{line:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::reasons::Reasons;

    fn lines(text: &str) -> GpuLogLines {
        read_rows(text).unwrap().lines
    }

    #[test]
    fn every_line_is_accounted_for() {
        let text = "index, clocks.sm [MHz]\n0, 915 MHz\n\nUnable to read, GPU, lost\n\
                    index, clocks.sm [MHz]\n0, 915 MHz\n0, 9";
        let lines = lines(text);
        assert_eq!(
            (lines.read, lines.used, lines.headers, lines.rejected, lines.torn),
            (6, 2, 2, 1, 1)
        );
    }

    #[test]
    fn a_last_line_without_its_end_counts_where_it_is_whole() {
        assert_eq!(lines("index, clocks.sm [MHz]\n0, 915 MHz\n0, 915 MHz").used, 2);
        // The unit is gone, so the number may be cut too.
        assert_eq!(lines("index, clocks.sm [MHz]\n0, 915 MHz\n0, 91").torn, 1);
        assert_eq!(lines("index, clocks.sm [MHz]\n0, 915 MHz\n0").torn, 1);
    }

    #[test]
    fn reasons_in_words_become_a_set_of_those_that_have_a_column() {
        let table = read_rows(
            "clocks_throttle_reasons.sw_power_cap, clocks_throttle_reasons.hw_slowdown\n\
             Active, Not Active\n",
        )
        .unwrap();
        let reading = &table.rows[0].reading;
        assert_eq!(reading.active.value(), Some(Reasons::SW_POWER_CAP));
        let seen = Reasons::SW_POWER_CAP.with(Reasons::HW_SLOWDOWN);
        assert_eq!(reading.supported.value(), Some(seen));
    }

    #[test]
    fn a_mask_says_it_all() {
        let table = read_rows(
            "clocks_event_reasons.active, clocks_event_reasons.sw_power_cap\n\
             0x0000000000000041, Not Active\n",
        )
        .unwrap();
        assert_eq!(table.rows[0].reading.active.value(), Some(Reasons::from_bits(0x41)));
        assert!(!table.rows[0].reading.supported.is_known());
    }
}
