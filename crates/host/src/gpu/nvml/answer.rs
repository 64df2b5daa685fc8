//! What the driver's library answers, as readings.

use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::error::{Bits, NvmlError};
use nvml_wrapper::struct_wrappers::device::FieldValueSample;
use trueline_core::{Known, Why};

use crate::gpu::known::measured;
use crate::gpu::reasons::Reasons;

/// A reading, or why the driver gives none.
pub(super) fn reading<T>(answer: Result<T, NvmlError>) -> Known<T> {
    answer.map_or_else(|error| Known::Not(why(&error)), measured)
}

/// Why the driver gives no answer.
pub(super) fn why(error: &NvmlError) -> Why {
    match error {
        NvmlError::NotSupported | NvmlError::VgpuEccNotSupported => Why::NotApplicable,
        NvmlError::NoPermission | NvmlError::OperatingSystem => Why::Denied,
        // A driver that does not know the function yet, or not any more.
        NvmlError::NotFound
        | NvmlError::NoData
        | NvmlError::FunctionNotFound
        | NvmlError::FailedToLoadSymbol(_) => Why::Absent,
        _ => Why::Unreadable,
    }
}

/// Reasons, those included that the wrapper does not know.
pub(super) fn reasons(answer: Result<ThrottleReasons, NvmlError>) -> Known<Reasons> {
    match answer {
        Ok(known) => measured(Reasons::from_bits(known.bits())),
        Err(NvmlError::IncorrectBits(Bits::U64(bits))) => measured(Reasons::from_bits(bits)),
        Err(NvmlError::IncorrectBits(Bits::U32(bits))) => {
            measured(Reasons::from_bits(u64::from(bits)))
        }
        Err(error) => Known::Not(why(&error)),
    }
}

/// A counter among field values, by its place.
pub(super) fn counter(answers: &[Result<FieldValueSample, NvmlError>], place: usize) -> Known<u64> {
    let value = match answers.get(place) {
        Some(Ok(sample)) => sample.value.as_ref(),
        Some(Err(error)) => Err(error),
        None => return Known::Not(Why::Absent),
    };
    match value {
        Ok(SampleValue::U64(value)) => measured(*value),
        Ok(SampleValue::U32(value)) => measured(u64::from(*value)),
        Ok(SampleValue::I64(value)) => {
            u64::try_from(*value).map_or(Known::Not(Why::Impossible), measured)
        }
        Ok(SampleValue::F64(_)) => Known::Not(Why::Impossible),
        Err(error) => Known::Not(why(error)),
    }
}

#[cfg(test)]
mod tests {
    use nvml_wrapper::structs::device::FieldId;

    use super::*;

    #[test]
    fn what_the_driver_does_not_do_is_told_from_what_it_forbids() {
        assert_eq!(reading::<u32>(Err(NvmlError::NotSupported)), Known::Not(Why::NotApplicable));
        assert_eq!(reading::<u32>(Err(NvmlError::NoPermission)), Known::Not(Why::Denied));
        assert_eq!(reading::<u32>(Err(NvmlError::GpuLost)), Known::Not(Why::Unreadable));
        assert_eq!(reading::<u32>(Err(NvmlError::NoData)), Known::Not(Why::Absent));
    }

    #[test]
    fn bits_that_the_wrapper_does_not_know_are_kept() {
        let strict = Err(NvmlError::IncorrectBits(Bits::U64(0x404)));
        assert_eq!(reasons(strict).value(), Some(Reasons::from_bits(0x404)));
        assert_eq!(reasons(Ok(ThrottleReasons::GPU_IDLE)).value(), Some(Reasons::GPU_IDLE));
    }

    #[test]
    fn a_counter_that_is_missing_is_not_zero() {
        let sample =
            |value| Ok(FieldValueSample { field: FieldId(74), timestamp: 0, latency: 0, value });
        let answers = [sample(Ok(SampleValue::U64(5))), sample(Err(NvmlError::NotSupported))];
        assert_eq!(counter(&answers, 0).value(), Some(5));
        assert_eq!(counter(&answers, 1), Known::Not(Why::NotApplicable));
        assert_eq!(counter(&answers, 2), Known::Not(Why::Absent));
    }
}
