//! Texts of the amdgpu driver: levels of a clock, speeds of a link.

/// The clocks of `pp_dpm_sclk` and its like, MHz: the one in use (marked by a star) and the highest.
pub(super) fn parse_levels(text: &str) -> (Option<u32>, Option<u32>) {
    let mut now = None;
    let mut max = None;
    for line in text.lines() {
        let mut words = line.split_whitespace().skip(1);
        let Some(mhz) = words.next().and_then(parse_mhz) else { continue };
        max = max.max(Some(mhz));
        if words.next() == Some("*") {
            now = Some(mhz);
        }
    }
    (now, max)
}

fn parse_mhz(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse().ok()
}

/// The generation of a link, by its speed: `16.0 GT/s PCIe` is the fourth.
pub(super) fn parse_generation(text: &str) -> Option<u32> {
    match text.split_whitespace().next()? {
        "2.5" => Some(1),
        "5.0" | "5" => Some(2),
        "8.0" | "8" => Some(3),
        "16.0" | "16" => Some(4),
        "32.0" | "32" => Some(5),
        "64.0" | "64" => Some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_in_use_has_a_star() {
        let levels = "0: 500Mhz\n1: 1893Mhz *\n2: 2482Mhz\n";
        assert_eq!(parse_levels(levels), (Some(1893), Some(2482)));
        assert_eq!(parse_levels(""), (None, None));
        assert_eq!(parse_levels("S: 19Mhz *\n0: 500Mhz\n"), (Some(19), Some(500)));
    }

    #[test]
    fn a_speed_names_its_generation() {
        assert_eq!(parse_generation("16.0 GT/s PCIe"), Some(4));
        assert_eq!(parse_generation("Unknown"), None);
    }
}
