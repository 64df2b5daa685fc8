//! Numbers of a row, by the grammar of JSON: those that are needed, and those that are passed over.

use crate::digits::digits;
use crate::scalar::Scalar;
use crate::scan::Scanner;

impl<'x, const WRITTEN: bool> Scanner<'x, WRITTEN> {
    /// Passes over the rest of a list that holds whole numbers without signs and nothing else.
    pub(crate) fn skip_whole_numbers(&mut self) -> Option<()> {
        let mut at = self.at;
        loop {
            let rest = self.bytes.get(at..)?;
            let (_, count) = digits(rest);
            if count == 0 || count > 20 || (count > 1 && rest.first() == Some(&b'0')) {
                return None;
            }
            at += count;
            match rest.get(count..)? {
                [b',', b' ', ..] => at += 2,
                [b',', ..] => at += 1,
                [b']', ..] => {
                    self.at = at + 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// Passes over a number.
    #[inline]
    pub(crate) fn skip_number(&mut self) -> Option<()> {
        /// With fewer digits a number without an exponent is finite.
        const SHORT: usize = 300;
        let from = self.at;
        self.at += usize::from(self.peek()? == b'-');
        let leading_zero = self.peek()? == b'0';
        let (_, whole) = digits(self.bytes.get(self.at..)?);
        self.at += whole;
        let mut fraction = 1;
        if self.take(b'.').is_some() {
            (_, fraction) = digits(self.bytes.get(self.at..)?);
            self.at += fraction;
        }
        let is_one = whole > 0 && fraction > 0 && !(leading_zero && whole > 1);
        if whole + fraction > SHORT || matches!(self.peek(), Some(b'e' | b'E')) {
            self.at = from;
            return self.number().map(|_| ());
        }
        is_one.then_some(())
    }

    /// A number by the grammar of JSON.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<Scalar<'x>> {
        let from = self.at;
        let negative = self.take(b'-').is_some();
        let leading_zero = self.peek()? == b'0';
        let (mut mantissa, whole) = short_digits(self.bytes.get(self.at..)?, 0);
        self.at += whole;
        if whole == 0 || (leading_zero && whole > 1) {
            return None;
        }
        let mut fraction = 0;
        if self.take(b'.').is_some() {
            (mantissa, fraction) = short_digits(self.bytes.get(self.at..)?, mantissa);
            self.at += fraction;
            if fraction == 0 {
                return None;
            }
        }
        let exponent = matches!(self.peek(), Some(b'e' | b'E'));
        if whole == 19 && fraction == 0 && !exponent && !negative {
            return Some(Scalar::Whole(mantissa));
        }
        // Up to 18 digits fit whatever they are.
        if whole + fraction > 18 || exponent {
            return self.long_number(from);
        }
        if fraction == 0 {
            return Some(match (negative, i64::try_from(mantissa).ok()?) {
                (true, 0) => Scalar::Float(-0.0),
                (true, n) => Scalar::Negative(-n),
                (false, _) => Scalar::Whole(mantissa),
            });
        }
        // Both are exact as floats, so one division rounds once: the nearest float (Clinger 1990).
        match POWERS.get(fraction) {
            Some(power) if mantissa < 1 << 53 => {
                #[expect(clippy::cast_precision_loss, reason = "below 2^53 it is exact")]
                let value = mantissa as f64 / power;
                Some(Scalar::Float(if negative { -value } else { value }))
            }
            _ => self.long_number(from),
        }
    }

    /// A number that needs the whole of the standard library's care.
    fn long_number(&mut self, from: usize) -> Option<Scalar<'x>> {
        let is_part = |b: &u8| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let length = self.bytes.get(from..)?.iter().take_while(|b| is_part(b)).count();
        let text = self.text.get(from..from + length)?;
        self.at = from + length;
        if !text.contains(['.', 'e', 'E']) {
            if let Ok(n) = text.parse::<u64>() {
                return Some(Scalar::Whole(n));
            }
            if let Ok(n) = text.parse::<i64>() {
                return Some(Scalar::Negative(n));
            }
        }
        // Grammar that the standard library takes and JSON does not, such as `1.e5`.
        let mantissa = text.split(['e', 'E']).next()?;
        if mantissa.ends_with('.') {
            return None;
        }
        text.parse::<f64>().ok().filter(|x| x.is_finite()).map(Scalar::Float)
    }
}

/// The number that leading digits make behind those of a number, modulo 2^64, and how many there are: one at a time,
/// since most numbers that are needed are short.
#[inline]
fn short_digits(bytes: &[u8], before: u64) -> (u64, usize) {
    let (mut value, mut count) = (before, 0);
    for byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (value, count)
}

/// Powers of ten that a float holds exactly.
const POWERS: [f64; 19] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
];
