//! A roofline drawn in characters: rate over intensity, both axes logarithmic.

/// A rate that nothing exceeds, with its name.
#[derive(Debug, Clone)]
pub(super) struct Roofline {
    /// Bytes a second.
    pub(super) bandwidth: f64,
    /// Operations a second.
    pub(super) peak: f64,
    /// What the slope is called.
    pub(super) slope_name: String,
    /// What the flat part is called.
    pub(super) flat_name: String,
}

/// A point with the character that marks it, and what it is.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// Operations a byte.
    pub(super) intensity: f64,
    /// Operations a second.
    pub(super) rate: f64,
    pub(super) mark: char,
    pub(super) name: String,
}

const COLUMNS: usize = 66;
const ROWS: usize = 9;
/// What stands left of the picture: a tick's label.
const MARGIN: usize = 12;

/// The picture, axes and labels included; empty where a number is none that can be drawn.
///
/// # Shape
/// At most 96 columns and 12 lines.
pub(super) fn draw(roof: &Roofline, points: &[Point]) -> Vec<String> {
    let ridge = roof.peak / roof.bandwidth;
    let good = |x: f64| x.is_finite() && x > 0.0;
    let points: Vec<&Point> = points.iter().filter(|p| good(p.intensity) && good(p.rate)).collect();
    if !good(ridge) || !good(roof.peak) || points.is_empty() {
        return Vec::new();
    }
    let x =
        Axis::over(points.iter().map(|p| p.intensity).chain([ridge / 8.0, ridge * 8.0]), COLUMNS);
    let heights = points.iter().map(|p| p.rate).chain([roof.peak * 2.0]);
    // The roof's left end may leave the picture below.
    let y = Axis::over(heights.chain([roof.peak / 400.0]), ROWS);
    let mut canvas = Canvas(vec![vec![' '; COLUMNS]; ROWS]);
    for column in 0..COLUMNS {
        let height = (roof.bandwidth * x.value(column)).min(roof.peak);
        if let Some((row, part)) = y.cell(height) {
            let sort = if part < 1.0 / 3.0 {
                '.'
            } else if part < 2.0 / 3.0 {
                '-'
            } else {
                '\''
            };
            canvas.put(row, column, sort);
        }
    }
    if let Some((row, _)) = y.cell(roof.peak) {
        let start = COLUMNS.saturating_sub(roof.flat_name.chars().count() + 1);
        canvas.write(row + 1, start, &roof.flat_name);
    }
    slope_name(&mut canvas, roof, &x, &y);
    for point in &points {
        let (Some(column), Some((row, _))) = (x.place(point.intensity), y.cell(point.rate)) else {
            continue;
        };
        for below in 0..row {
            canvas.put_free(below, column, ':');
        }
        canvas.put(row, column, point.mark);
    }
    let mut lines = canvas.lines(&y);
    lines.extend(x.ticks());
    let told: Vec<String> = points.iter().map(|p| format!("{} {}", p.mark, p.name)).collect();
    lines.push(format!("{}{}", " ".repeat(MARGIN + 2), told.join("   ")));
    lines
}

/// Writes the name of the slope below it, where there is room.
fn slope_name(canvas: &mut Canvas, roof: &Roofline, x: &Axis, y: &Axis) {
    for column in 0..COLUMNS {
        let height = roof.bandwidth * x.value(column);
        let Some((row, _)) = y.cell(height).filter(|_| height < roof.peak) else { continue };
        if row >= 2 {
            let start = column + 3;
            if start + roof.slope_name.chars().count() < COLUMNS {
                canvas.write(row - 1, start, &roof.slope_name);
            }
            return;
        }
    }
}

/// A logarithmic axis over so many cells.
struct Axis {
    /// Power of ten of the first cell's low edge.
    low: f64,
    /// Powers of ten in one cell.
    step: f64,
    cells: usize,
}

impl Axis {
    /// An axis that holds all values; each is finite and above zero.
    fn over(values: impl Iterator<Item = f64>, cells: usize) -> Self {
        let (low, high) = values
            .map(f64::log10)
            .fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = (low - 0.1, high + 0.1);
        Self { low, step: (high - low) / float(cells), cells }
    }

    /// The value in the middle of a cell.
    fn value(&self, cell: usize) -> f64 {
        10_f64.powf(self.low + (float(cell) + 0.5) * self.step)
    }

    /// The cell of a value.
    fn place(&self, value: f64) -> Option<usize> {
        self.cell(value).map(|(cell, _)| cell)
    }

    /// The cell of a value, and where in it the value lies, from 0 to 1.
    fn cell(&self, value: f64) -> Option<(usize, f64)> {
        let at = (value.log10() - self.low) / self.step;
        let cell = (0..self.cells).find(|cell| at >= float(*cell) && at < float(*cell) + 1.0)?;
        Some((cell, at - float(cell)))
    }

    /// Powers of ten that lie on the axis, with their cells.
    fn powers(&self) -> Vec<(usize, i32)> {
        (-30..60).filter_map(|power| Some((self.place(10_f64.powi(power))?, power))).collect()
    }

    /// The line below the picture, and its labels.
    fn ticks(&self) -> Vec<String> {
        let mut line = vec!['-'; self.cells];
        let mut labels = Canvas(vec![vec![' '; self.cells + 8]]);
        for (cell, power) in self.powers() {
            if let Some(at) = line.get_mut(cell) {
                *at = '+';
            }
            labels.write(0, cell, &written(power));
        }
        let line: String = line.into_iter().collect();
        let labels = labels.0.concat().into_iter().collect::<String>();
        vec![
            format!("{}+{line}", " ".repeat(MARGIN + 1)),
            format!("{}{}  FLOP/byte", " ".repeat(MARGIN + 2), labels.trim_end()),
        ]
    }
}

/// Rows of characters, the lowest first.
struct Canvas(Vec<Vec<char>>);

impl Canvas {
    fn put(&mut self, row: usize, column: usize, mark: char) {
        if let Some(cell) = self.0.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = mark;
        }
    }

    fn put_free(&mut self, row: usize, column: usize, mark: char) {
        if let Some(cell) = self.0.get_mut(row).and_then(|row| row.get_mut(column))
            && *cell == ' '
        {
            *cell = mark;
        }
    }

    fn write(&mut self, row: usize, column: usize, text: &str) {
        for (at, mark) in text.chars().enumerate() {
            self.put_free(row, column + at, mark);
        }
    }

    /// The rows from the top, with the labels of an axis.
    fn lines(&self, y: &Axis) -> Vec<String> {
        let powers = y.powers();
        let line = |(place, row): (usize, &Vec<char>)| {
            let label = powers.iter().find(|(cell, _)| *cell == place);
            let label = label.map_or_else(String::new, |(_, power)| flops(*power));
            let tick = if label.is_empty() { '|' } else { '+' };
            let row: String = row.iter().collect();
            format!("{label:>MARGIN$} {tick}{}", row.trim_end())
        };
        self.0.iter().enumerate().rev().map(line).collect()
    }
}

/// A power of ten as a tick: `0.1`, `1`, `1,000`.
fn written(power: i32) -> String {
    match power {
        -2..=5 => trueline::core::number::short(10_f64.powi(power), 1),
        _ => format!("1e{power}"),
    }
}

/// A power of ten of operations a second.
fn flops(power: i32) -> String {
    let (unit, from) = match power {
        15.. => ("PFLOP/s", 15),
        12..15 => ("TFLOP/s", 12),
        9..12 => ("GFLOP/s", 9),
        _ => ("FLOP/s", 0),
    };
    format!("{} {unit}", written(power - from))
}

#[expect(clippy::cast_precision_loss, reason = "cells of a picture")]
fn float(n: usize) -> f64 {
    n as f64
}
