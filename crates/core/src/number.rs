//! Numbers for people: short, grouped, in percent.

/// A number for people: `digits` significant digits, thousands apart, no tail of zeros.
pub fn short(x: f64, digits: i32) -> String {
    if !x.is_finite() {
        return "not known".to_owned();
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "a power of ten of a finite float")]
    let size = x.abs().log10().floor() as i32;
    let places = usize::try_from((digits - 1 - size).clamp(0, 12)).unwrap_or(0);
    let text = format!("{x:.places$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    };
    grouped(&text)
}

/// A number as somebody would write it: nine significant digits, without the noise of a division.
pub fn plain(x: f64) -> String {
    format!("{x:.8e}").parse::<f64>().unwrap_or(x).to_string()
}

/// A whole number with its thousands apart.
pub fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// A number of things in words: `1 value`, `1,200 values`.
pub fn things(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{} {what}s", count(n as u64)) }
}

fn grouped(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(a, b)| (a, Some(b)));
    let mut out = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out += fraction;
    }
    out
}

/// A share in percent: one decimal below ten, none above.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent.abs() >= 9.95 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_grouped() {
        assert_eq!(short(319.613, 3), "320");
        assert_eq!(short(42_771.4, 3), "42,771");
        assert_eq!(short(0.084_12, 3), "0.0841");
        assert_eq!(short(1.5, 3), "1.5");
        assert_eq!(short(-1234.0, 3), "-1,234");
        assert_eq!(short(f64::NAN, 3), "not known");
        assert_eq!(plain(0.027_899_999_999_999_998), "0.0279");
        assert_eq!(plain(115.0), "115");
        assert_eq!(count(1_460_000), "1,460,000");
        assert_eq!((things(1, "run"), things(2_000, "run")), ("1 run".into(), "2,000 runs".into()));
        assert_eq!(percent(0.0702), "7.0 %");
        assert_eq!(percent(0.9952), "100 %");
        assert_eq!(percent(0.7), "70 %");
    }
}
