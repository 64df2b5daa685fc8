//! What has been seen so far of requests that are under way.

use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::rc::Rc;

use super::reception::Reception;
use super::stamped::Stamps;
use crate::dialect::Api;
use crate::{Exchange, RunClock};

/// What has been seen so far of one request.
#[derive(Debug)]
pub(super) struct Sight {
    clock: RunClock,
    /// What is known of it; what its reply says is entered at its end.
    pub(super) exchange: Exchange,
    /// What its reply has said.
    pub(super) reception: Reception,
    /// When bytes went and came over the connection that it goes over; `None` before there is one.
    pub(super) stamps: Option<Rc<Stamps>>,
}

impl Sight {
    /// What has been seen so far; what becomes of it is unknown.
    fn so_far(&self) -> Exchange {
        let mut exchange = self.exchange.clone();
        if let Some(sent) = self.stamps.as_ref().and_then(|stamps| stamps.sent()) {
            exchange.marks.sent = Some(self.clock.at(sent));
        }
        self.reception.tell(&mut exchange);
        exchange
    }
}

/// The requests of one client that are under way, by their numbers.
///
/// # Shape
/// Of requests that share a number, the one that began last.
#[derive(Debug, Default)]
pub(super) struct UnderWay(RefCell<HashMap<u64, Rc<RefCell<Sight>>>>);

impl UnderWay {
    /// A request begins; it is under way until what is returned is dropped.
    pub(super) fn begin(&self, exchange: Exchange, api: Api, clock: &RunClock) -> Watched<'_> {
        let (number, reception) = (exchange.number, Reception::new(api));
        let sight = Sight { clock: *clock, exchange, reception, stamps: None };
        let sight = Rc::new(RefCell::new(sight));
        self.0.borrow_mut().insert(number, Rc::clone(&sight));
        Watched { all: self, number, sight }
    }

    /// What has been seen so far of one; `None` where none of this number is under way.
    pub(super) fn so_far(&self, number: u64) -> Option<Exchange> {
        self.0.borrow().get(&number).map(|sight| sight.borrow().so_far())
    }
}

/// A request that is under way.
#[derive(Debug)]
pub(super) struct Watched<'a> {
    all: &'a UnderWay,
    number: u64,
    sight: Rc<RefCell<Sight>>,
}

impl Watched<'_> {
    /// What has been seen of it, to enter more. Not to be held while anything is waited for.
    pub(super) fn sight(&self) -> RefMut<'_, Sight> {
        self.sight.borrow_mut()
    }

    /// The request has ended.
    pub(super) fn end(self) -> Exchange {
        std::mem::take(&mut self.sight().exchange)
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let mut all = self.all.0.borrow_mut();
        if all.get(&self.number).is_some_and(|sight| Rc::ptr_eq(sight, &self.sight)) {
            all.remove(&self.number);
        }
    }
}
