//! Runs of digits, eight at a time.

/// Four bits of each byte that all digits have in common, and those bits of a digit.
const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
const DIGITS: u64 = 0x3030_3030_3030_3030;
/// What brings the bytes behind `9` over the edge to the next sixteen.
const BEYOND: u64 = 0x0606_0606_0606_0606;

/// The number that the leading digits of a text make, modulo 2^64, and how many there are. Up to 19 of them make a
/// number below 2^64.
#[inline]
pub(crate) fn digits(bytes: &[u8]) -> (u64, usize) {
    let (mut value, mut count) = (0_u64, 0);
    let mut rest = bytes;
    while let Some((eight, after)) = rest.split_first_chunk::<8>()
        && let Some(number) = eight_digits(u64::from_le_bytes(*eight))
    {
        value = value.wrapping_mul(100_000_000).wrapping_add(number);
        count += 8;
        rest = after;
    }
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (value, count)
}

/// The number that eight digits make, the first one in the lowest byte; `None` where one of them is none.
///
/// # Formula
/// Neighbours are put together: digits to pairs, pairs to fours, fours to eight. A product by 10 and 1 holds the sum
/// of a pair in the byte between them.
#[inline]
fn eight_digits(eight: u64) -> Option<u64> {
    const PAIRS: u64 = 0x0000_00ff_0000_00ff;
    let is_digits = eight & HIGH == DIGITS && eight.wrapping_add(BEYOND) & HIGH == DIGITS;
    if !is_digits {
        return None;
    }
    let ones = eight - DIGITS;
    let pairs = ones.wrapping_mul(10).wrapping_add(ones >> 8);
    let first = (pairs & PAIRS).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & PAIRS).wrapping_mul(1 + (10_000 << 32));
    Some(first.wrapping_add(second) >> 32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_end_at_what_is_none() {
        for (text, expected) in [
            ("", (0, 0)),
            ("x", (0, 0)),
            ("007,", (7, 3)),
            ("12345678", (12_345_678, 8)),
            ("123456789:", (123_456_789, 9)),
            ("9007199254740993]", (9_007_199_254_740_993, 16)),
            ("9999999999999999999", (9_999_999_999_999_999_999, 19)),
        ] {
            assert_eq!(digits(text.as_bytes()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn they_are_what_the_standard_library_reads(text in "[0-9]{0,19}[^0-9]?[0-9]{0,9}") {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            prop_assume!(end <= 19);
            let expected = text[..end].parse::<u64>().unwrap_or(0);
            prop_assert_eq!(digits(text.as_bytes()), (expected, end));
        }
    }
}
