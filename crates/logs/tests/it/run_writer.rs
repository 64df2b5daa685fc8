//! A writer of runs whose disk fills up, and what it refuses.

use std::io;

use trueline_core::{Conditions, Reported};
use trueline_logs::{LogHeader, Role, RunWriter, read_runs_from};

use crate::interleaved_runs::{LABELS, header, reported, request, written};

/// A disk that is full after so many bytes, until somebody makes room.
#[derive(Debug)]
struct Flaky {
    bytes: Vec<u8>,
    room: usize,
}

impl Flaky {
    fn with_room(room: usize) -> Self {
        Self { bytes: Vec::new(), room }
    }

    fn make_room(&mut self) {
        self.room = usize::MAX;
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl io::Write for Flaky {
    /// Takes what there is room for, as a file does before it says that the disk is full.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.room);
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= taken;
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_writer_refuses_what_it_cannot_keep_apart() {
    let mut file = Vec::new();
    let mut writer = RunWriter::new(&mut file);
    let mut of_a_log = header("b");
    of_a_log.role = Role::Log;
    let invalid = |done: io::Result<()>| done.unwrap_err().kind();
    writer.begin(&header("a")).unwrap();
    for refused in [
        writer.begin(&header("a")),
        writer.begin(&LogHeader::new(Role::Run)),
        writer.begin(&of_a_log),
        writer.row("b", &request(0)),
        writer.close("b", &Conditions::default(), &Reported::default()),
    ] {
        assert_eq!(invalid(refused), io::ErrorKind::InvalidInput);
    }
    assert_eq!((writer.lost(), file.split(|byte| *byte == b'\n').count()), (0, 2));
}

#[test]
fn a_full_disk_is_told_once_and_costs_the_rows_that_it_refuses() {
    // Larger than all that comes before there is room again.
    let full_at = written(&[0, 1, 0, 1]).len();
    let mut more_than_said = 0;
    for room in 0..full_at {
        let mut disk = Flaky::with_room(room);
        let mut writer = RunWriter::new(&mut disk);
        let mut told = 0;
        let mut count = |done: io::Result<()>| told += usize::from(done.is_err());
        count(writer.begin(&header("warm")));
        count(writer.begin(&header("control")));
        for n in 0..4 {
            count(writer.row(LABELS[(n % 2) as usize], &request(n)));
        }
        let lost = writer.lost();
        assert!(told <= 1, "{room}");
        assert_eq!(told == 0, lost == 0, "{room}");
        // Somebody makes room: what comes now is in the file.
        writer.to_mut().make_room();
        writer.row("warm", &request(4)).unwrap();
        writer.row("control", &request(5)).unwrap();
        writer.close("warm", &Conditions::default(), &reported()).unwrap();
        let read = read_runs_from("m", disk.bytes()).unwrap();
        let found: usize = read.value.iter().map(|run| run.requests.len()).sum();
        // A row of which the line end alone is missing is whole, and lost as far as the writer knows.
        let more = found as u64 + lost - 6;
        assert!(more <= 1, "{room}");
        more_than_said += more;
        assert_eq!(read.value.iter().map(|r| r.label.as_str()).max(), Some("warm"), "{room}");
        assert_eq!(read.value.len(), 2, "{room}");
        assert!(read.value.iter().all(|run| run.arm() == "hit-shares"), "{room}");
    }
    // That is so for the four rows that come before there is room again.
    assert_eq!(more_than_said, 4);
}
