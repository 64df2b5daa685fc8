//! The files that a process has open.

use trueline_core::Why;

use crate::root::Root;

/// Files of a process that are looked at one by one; beyond it they are counted.
const MOST_LOOKED_AT: usize = 4096;

/// The files that a process has open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fds {
    /// How many.
    pub(crate) open: u64,
    /// The inodes of those that are sockets.
    pub(crate) sockets: Vec<u64>,
}

/// Reads what a process has open. A copy keeps of a path only that something is open.
pub(crate) fn read_fds(root: &Root, pid: u32) -> Result<Fds, Why> {
    let folder = format!("proc/{pid}/fd");
    let names = root.names(&folder)?;
    let mut fds = Fds { open: names.len().saturating_sub(MOST_LOOKED_AT) as u64, ..Fds::default() };
    for name in names.iter().take(MOST_LOOKED_AT) {
        let path = format!("{folder}/{name}");
        // The folder itself was open while it was listed, and files are closed meanwhile.
        let Ok(target) = root.link(&path) else { continue };
        fds.open += 1;
        match socket_inode(&target) {
            Some(inode) => fds.sockets.push(inode),
            None => root.write_beside(&path, "-"),
        }
    }
    Ok(fds)
}

fn socket_inode(target: &str) -> Option<u64> {
    target.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_known_by_its_inode() {
        assert_eq!(socket_inode("socket:[623]"), Some(623));
        assert_eq!(socket_inode("pipe:[623]"), None);
        assert_eq!(socket_inode("/home/me/socket:[1]"), None);
    }
}
