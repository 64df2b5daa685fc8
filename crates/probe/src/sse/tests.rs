//! What bytes are which events.

use proptest::prelude::*;

use super::*;

/// The events of bytes that come in the pieces that end at `cuts`, with what the end leaves.
fn events(bytes: &[u8], cuts: &[usize]) -> Vec<(EventKind, String)> {
    let mut lines = Lines::default();
    let mut found = Vec::new();
    let mut each = |event: Event<'_>| {
        found.push((event.kind, String::from_utf8_lossy(event.data).into_owned()));
        ControlFlow::Continue(())
    };
    let mut from = 0;
    for to in cuts.iter().copied().chain([bytes.len()]) {
        let _ = lines.take(&bytes[from..to], &mut each).unwrap();
        from = to;
    }
    lines.finish(&mut each);
    found
}

fn data(text: &str) -> Vec<String> {
    events(text.as_bytes(), &[]).into_iter().map(|(_, data)| data).collect()
}

#[test]
fn an_event_is_its_data_and_a_comment_is_none() {
    assert_eq!(data(": keepalive 1/9\n\ndata: {\"a\":1}\n\ndata:b\n\n"), ["{\"a\":1}", "b"]);
    assert_eq!(data("id: 7\nretry: 5\nevent: ping\n\n"), Vec::<String>::new());
}

#[test]
fn one_blank_behind_the_colon_is_no_data() {
    assert_eq!(data("data:  two\n\ndata:\n\ndata\n\n"), [" two", "", ""]);
}

#[test]
fn lines_of_one_event_are_joined() {
    assert_eq!(data("data: a\n: between\ndata: b\n\n"), ["a\nb"]);
}

#[test]
fn all_three_line_ends_are_known() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("data: a{end}{end}data: b{end}data: c{end}{end}");
        assert_eq!(data(&text), ["a", "b\nc"], "{end:?}");
    }
}

#[test]
fn an_event_that_the_end_cuts_short_of_its_empty_line_is_handed_on() {
    assert_eq!(data("data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
    assert_eq!(data("data: a\n"), ["a"]);
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_front_alone() {
    assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\n"), ["a"]);
}

#[test]
fn errors_are_told_by_their_field_or_their_name() {
    let found = events(b"event: error\ndata: a\n\nerror: b\n\ndata: c\n\n", &[]);
    let kinds: Vec<EventKind> = found.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [EventKind::Error, EventKind::Error, EventKind::Message]);
    assert_eq!(found[1].1, "b");
}

#[test]
fn an_event_without_end_is_refused_and_not_kept() {
    let mut lines = Lines::default();
    let piece = vec![b'x'; 1 << 20];
    let mut each = |_: Event<'_>| ControlFlow::Continue(());
    // 16 pieces of 1 MiB are the bound, `data:` and one byte more are beyond it.
    let _ = lines.take(b"data:", &mut each).unwrap();
    let taken: Vec<bool> = (0..16).map(|_| lines.take(&piece, &mut each).is_ok()).collect();
    assert_eq!(taken.iter().filter(|ok| **ok).count(), 15);
    let mut lines = Lines::default();
    let line = [b"data:".as_slice(), &piece, b"\n"].concat();
    assert!((0..17).any(|_| lines.take(&line, &mut each).is_err()));
}

#[test]
fn a_break_leaves_the_rest_unread() {
    let mut lines = Lines::default();
    let mut seen = 0;
    let flow = lines.take(b"data: a\n\ndata: b\n\n", &mut |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert_eq!((flow, seen), (Ok(ControlFlow::Break(())), 1));
}

proptest! {
    #[test]
    fn cuts_change_nothing(
        parts in prop::collection::vec(
            "data: ?[a-z]{0,6}|event: (error|x)|: c|error: e|[a-z]{0,3}|\u{feff}?data:x|\r|\n|\r\n|\n\n|\r\n\r\n",
            0..24,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes = parts.concat().into_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.sort_unstable();
        prop_assert_eq!(events(&bytes, &at), events(&bytes, &[]));
        let every: Vec<usize> = (1..bytes.len()).collect();
        prop_assert_eq!(events(&bytes, &every), events(&bytes, &[]));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        events(&bytes, &[bytes.len() / 2]);
    }
}
