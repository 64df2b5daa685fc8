//! The blocks of one input, read on several threads and joined in order.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::source::{Block, Source};
use crate::tally::Tally;
use crate::{Error, ReadOptions};

/// How many blocks each thread may be ahead of the one that is joined next.
const AHEAD: u64 = 4;

/// The blocks that are still to be joined.
struct Joining {
    next: u64,
    waiting: BTreeMap<u64, Tally>,
    /// The blocks joined so far; `None` while a thread joins the next one to it.
    whole: Option<Tally>,
    failed: Option<Error>,
}

/// How a block becomes a summary, whatever stands in the blocks before it.
pub(super) type ReadBlock<'r> = dyn Fn(&Block) -> Tally + Sync + 'r;

/// Reads the blocks of an input on several threads and joins their summaries in order.
pub(super) fn read_blocks(
    source: &mut Source<'_>,
    first: Block,
    options: &ReadOptions,
    read: &ReadBlock<'_>,
) -> Result<Tally, Error> {
    let threads = options.thread_count().max(1);
    let joining = Mutex::new(Joining {
        next: 0,
        waiting: BTreeMap::new(),
        whole: Some(Tally::new(options)),
        failed: None,
    });
    let turn = Condvar::new();
    if threads == 1 || first.last {
        let mut block = Some(first);
        while let Some(now) = block {
            count(options, &now);
            join(&joining, &turn, now.number, read(&now));
            block = source.next_block(now.bytes)?;
        }
    } else {
        let source = Mutex::new((source, Some(first)));
        let ahead = AHEAD * threads as u64;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| work(&source, &joining, &turn, (options, read), ahead));
            }
        });
    }
    let joined = joining.into_inner().unwrap_or_else(PoisonError::into_inner);
    match joined.failed {
        Some(error) => Err(error),
        None => Ok(joined.whole.expect("every thread has put it back")),
    }
}

/// What one thread does: takes a block, reads it, hands its summary over, until none is left.
fn work(
    source: &Mutex<(&mut Source<'_>, Option<Block>)>,
    joining: &Mutex<Joining>,
    turn: &Condvar,
    (options, read): (&ReadOptions, &ReadBlock<'_>),
    ahead: u64,
) {
    let mut buffer = Vec::new();
    loop {
        let block = {
            let mut guard = lock(source);
            match guard.1.take() {
                Some(first) => Ok(Some(first)),
                None => guard.0.next_block(std::mem::take(&mut buffer)),
            }
        };
        match block {
            Ok(Some(block)) => {
                count(options, &block);
                let tally = read(&block);
                // The block that is next never waits, so the others always get their turn.
                let mut guard = lock(joining);
                while block.number > guard.next + ahead && guard.failed.is_none() {
                    guard = turn.wait(guard).unwrap_or_else(PoisonError::into_inner);
                }
                drop(guard);
                join(joining, turn, block.number, tally);
                buffer = block.bytes;
            }
            Ok(None) => return,
            Err(error) => {
                lock(joining).failed.get_or_insert(error);
                turn.notify_all();
                return;
            }
        }
    }
}

/// Tells who shows progress that a block was read.
fn count(options: &ReadOptions, block: &Block) {
    if let Some(progress) = &options.progress {
        progress.fetch_add(block.bytes.len() as u64, Ordering::Relaxed);
    }
}

/// Hands a summary over and joins all that are next, unless another thread is about it. The others
/// read on meanwhile.
fn join(joining: &Mutex<Joining>, turn: &Condvar, number: u64, tally: Tally) {
    let mut guard = lock(joining);
    guard.waiting.insert(number, tally);
    while let Some(mut whole) = guard.whole.take() {
        let next = guard.next;
        let Some(tally) = guard.waiting.remove(&next) else {
            guard.whole = Some(whole);
            break;
        };
        drop(guard);
        whole.append(tally);
        guard = lock(joining);
        guard.whole = Some(whole);
        guard.next += 1;
        turn.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
