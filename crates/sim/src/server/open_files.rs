//! Room in the process's table of open files.

/// For how many open files room is made: the most that the process may have of these.
#[cfg(target_os = "linux")]
const ROOM: [i32; 3] = [16_384, 4_096, 1_024];

/// Makes room for thousands of connections in the process's table of open files.
///
/// Linux enlarges the table when a file finds no place in it, at 64, 256, 512 files and so on. Where the
/// process has several threads, whoever opens that file waits until no processor looks at the old table any
/// more: 9 to 20 ms were seen, in which no token leaves. Made before anybody connects, the room delays
/// nothing; where the system refuses it, the table grows as it does by itself.
///
/// # Source
/// Linux, `fs/file.c`, `expand_fdtable`: `synchronize_rcu` where the table is shared. Read on 2026-11-30.
#[cfg(target_os = "linux")]
pub(super) fn make_room() {
    let Ok(any) = std::fs::File::open("/dev/null") else { return };
    // A file that takes the last place shows that there is one; it is closed at once.
    let _ = ROOM.into_iter().find(|n| rustix::io::fcntl_dupfd_cloexec(&any, n - 1).is_ok());
}

/// Makes room for thousands of connections where the system would make the server wait for it later.
#[cfg(not(target_os = "linux"))]
pub(super) const fn make_room() {}
