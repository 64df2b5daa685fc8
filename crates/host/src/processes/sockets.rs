//! The TCP sockets that the kernel lists.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// One TCP socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Socket {
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) state: SocketState,
    /// What ties it to the files that a process has open; zero once nobody holds it.
    pub(crate) inode: u64,
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SocketState {
    Established,
    Listening,
    Other,
}

/// Reads `/proc/net/tcp` or `/proc/net/tcp6`.
///
/// # Source
/// The kernel's `Documentation/networking/proc_net_tcp.rst`. Addresses are words in the byte order of
/// the processor, taken here to be the low byte first.
pub(crate) fn parse_sockets(text: &str) -> Vec<Socket> {
    text.lines().skip(1).filter_map(parse_socket).collect()
}

fn parse_socket(line: &str) -> Option<Socket> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let local = parse_address(fields.next()?)?;
    let remote = parse_address(fields.next()?)?;
    let state = match fields.next()? {
        "01" => SocketState::Established,
        "0A" => SocketState::Listening,
        _ => SocketState::Other,
    };
    // Queues, timer, retransmissions, user and timeout stand between state and inode.
    let inode = fields.nth(5)?.parse().ok()?;
    Some(Socket { local, remote, state, inode })
}

fn parse_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(address)?.to_le_bytes())),
        32 => {
            let mut bytes = [0_u8; 16];
            for (i, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(address.get(8 * i..8 * i + 8)?)?.to_le_bytes());
            }
            // An IPv4 connection of a socket that takes both.
            Ipv6Addr::from(bytes).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

fn word(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captured from Linux 6.18: a listener on port 2024 and, as the documentation gives it, a
    /// connection; then IPv6.
    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
        0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 623 1 00000000daeaf617 100 0 0 10 0\n  \
        46: 010310AC:9C4C 030310AC:1770 01 00000150:00000000 01:00000019 00000000  1000        0 54165785 4 cd1e6040 25 4 27 3 -1\n";
    const TCP6: &str = "header\n   \
        1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:C350 01 0:0 00:0 0 0 0 77 1 x\n   \
        2: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 78 1 x\n";

    #[test]
    fn addresses_states_and_inodes_are_read() {
        let sockets = parse_sockets(TCP);
        let [listener, open] = sockets.as_slice() else { panic!("{sockets:?}") };
        assert_eq!(
            (listener.state, listener.local.port(), listener.inode),
            (SocketState::Listening, 2024, 623)
        );
        // The documentation: 40012 is 9C4C, 6000 is 1770, 172.16.3.1 is 010310AC.
        assert_eq!(open.local.to_string(), "172.16.3.1:40012");
        assert_eq!(open.remote.to_string(), "172.16.3.3:6000");
        assert_eq!((open.state, open.inode), (SocketState::Established, 54_165_785));
    }

    #[test]
    fn ipv6_addresses_are_read_and_mapped_ones_are_ipv4() {
        let sockets = parse_sockets(TCP6);
        let words: Vec<String> = sockets.iter().map(|s| s.local.to_string()).collect();
        assert_eq!(words, ["127.0.0.1:8080", "[::1]:8080"]);
        assert!(parse_sockets("header\nrubbish\n").is_empty());
    }
}
