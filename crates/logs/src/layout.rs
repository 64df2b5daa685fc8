//! A format's table made ready for reading: which slot fills what.

use std::borrow::Cow;

use trueline_core::{ReportedRate, RequestRecord, Side, Stretch};

use crate::adapters::{Generation, Rules, Table, rules};
use crate::columns::Columns;
use crate::foreign::Foreign;
use crate::generations::{DECODE_RATE, DecodeReading};
use crate::scalar::Scalar;
use crate::shape::{Shape, Slots};
use crate::{FieldMeaning, Generations, Holds, Unit};

/// One step of filling a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) slot: usize,
    pub(crate) fills: Fills,
}

/// What a slot fills.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fills {
    Prompt,
    Cached,
    New,
    Output,
    Started(Unit),
    SentAfter(Unit),
    Finished(Unit),
    ScheduledAt(Unit),
    PrefilledAt(Unit),
    Rate,
    DecodeRate,
    Outcome,
    Warmup,
    Preemptions,
    DroppedCommits,
    BlockTokens,
    BlockHashes,
    /// The gaps between token-bearing events.
    Gaps(Unit),
    FirstToken(Unit),
    Streamed,
    FromReplyStore,
    Uncached,
    CacheWrite,
    /// A stretch of time, by who recorded the row.
    Time {
        client: Stretch,
        server: Stretch,
        unit: Unit,
    },
}

impl Fills {
    fn of(field: &FieldMeaning) -> Option<Self> {
        Some(match field.holds {
            Holds::PromptTokens => Self::Prompt,
            Holds::CachedTokens => Self::Cached,
            Holds::NewTokens => Self::New,
            Holds::OutputTokens => Self::Output,
            Holds::Started => Self::Started(field.unit),
            Holds::SentAfter => Self::SentAfter(field.unit),
            Holds::Finished => Self::Finished(field.unit),
            Holds::ScheduledAt => Self::ScheduledAt(field.unit),
            Holds::PrefilledAt => Self::PrefilledAt(field.unit),
            Holds::ReportedPrefillRate => Self::Rate,
            Holds::ReportedDecodeRate => Self::DecodeRate,
            Holds::Outcome => Self::Outcome,
            Holds::Warmup => Self::Warmup,
            Holds::Preemptions => Self::Preemptions,
            Holds::DroppedCommits => Self::DroppedCommits,
            Holds::BlockTokens => Self::BlockTokens,
            Holds::BlockHashes => Self::BlockHashes,
            Holds::FirstToken => Self::FirstToken(field.unit),
            Holds::Streamed => Self::Streamed,
            Holds::FromReplyStore => Self::FromReplyStore,
            Holds::UncachedTokens => Self::Uncached,
            Holds::CacheWriteTokens => Self::CacheWrite,
            Holds::Itl => Self::Gaps(field.unit),
            holds => Self::Time {
                client: holds.stretch(field.clock.unwrap_or(Side::Client))?,
                server: holds.stretch(field.clock.unwrap_or(Side::Server))?,
                unit: field.unit,
            },
        })
    }
}

/// Which slots hold texts, the preferred one first.
#[derive(Debug, Clone, Default)]
struct TextSlots {
    id: Vec<usize>,
    session: Vec<usize>,
    model: Vec<usize>,
    version: Vec<usize>,
}

/// A format's table made ready for reading.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) table: Table,
    pub(crate) steps: Vec<Step>,
    pub(crate) side: Option<usize>,
    /// What the row tells of, the preferred slot first.
    pub(crate) event: Vec<usize>,
    /// What its format leaves out and corrects.
    pub(crate) rules: Rules,
    /// The slot of each key that tells a generation, and which one.
    pub(crate) generations: Vec<(usize, Generation)>,
    /// Whether its rows may say when work on them began.
    pub(crate) schedules: bool,
    /// The quotient that is taken for a prefill rate.
    pub(crate) quotient: Option<usize>,
    /// What says whether an object is the last of its reply.
    last: Option<usize>,
    /// The tree of keys before any row was read.
    pub(crate) shape: Shape,
    texts: TextSlots,
    /// What tells rows of other formats.
    pub(crate) foreign: Foreign,
    /// The columns of a table; `None` where rows are objects.
    pub(crate) columns: Option<Columns>,
}

impl Layout {
    pub(crate) fn new(table: Table) -> Self {
        let foreign = Foreign::to(&table);
        let paths = table.fields.iter().map(|f| &*f.path);
        let mut layout = Self {
            shape: Shape::new(paths).watching(foreign.marks()),
            foreign,
            steps: Vec::new(),
            side: None,
            event: Vec::new(),
            rules: rules(&table.name),
            generations: Vec::new(),
            schedules: table.fields.iter().any(|field| field.holds == Holds::ScheduledAt),
            quotient: None,
            last: None,
            texts: TextSlots::default(),
            columns: None,
            table,
        };
        for generation in layout.rules.generations {
            let ends = |path: &str| path.rsplit('.').next() == Some(generation.key);
            let slots = layout.table.fields.iter().enumerate().filter(|(_, f)| ends(&f.path));
            layout.generations.extend(slots.map(|(slot, _)| (slot, *generation)));
        }
        for (slot, field) in layout.table.fields.iter().enumerate() {
            if field.holds == Holds::Unused {
                layout.shape.leave_unread(slot);
            }
            match field.holds {
                Holds::Id => layout.texts.id.push(slot),
                Holds::Session => layout.texts.session.push(slot),
                Holds::Model => layout.texts.model.push(slot),
                Holds::ServerVersion => layout.texts.version.push(slot),
                Holds::Side => layout.side = Some(slot),
                Holds::Event => layout.event.push(slot),
                Holds::PromptOverCompute => layout.quotient = Some(slot),
                Holds::Last => layout.last = Some(slot),
                _ => layout.steps.extend(Fills::of(field).map(|fills| Step { slot, fills })),
            }
        }
        layout
    }

    /// Whether an object is the last of its reply; `None` where nothing says so.
    pub(crate) fn is_last(&self, slots: &Slots<'_>) -> Option<bool> {
        match slots.get(self.last?)? {
            Scalar::Bool(is_last) => Some(*is_last),
            _ => None,
        }
    }
}

/// What a row tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    /// A request that ended: it is a record.
    Ended,
    /// A request that came in.
    Began,
    /// Something else.
    Else,
}

impl Layout {
    /// What a row tells of; one that does not say is a record.
    pub(crate) fn tells(&self, slots: &Slots<'_>) -> Tells {
        let Some(event) = self.event.iter().find_map(|slot| slots.get(*slot)) else {
            return Tells::Ended;
        };
        let is_one = |of: &[&str]| matches!(event, Scalar::Text(name) if of.contains(name));
        match event {
            _ if is_one(self.rules.ends) => Tells::Ended,
            _ if is_one(self.rules.begins) => Tells::Began,
            _ => Tells::Else,
        }
    }

    /// Whether an id is that of the server's check of itself.
    pub(crate) fn is_health_check(&self, id: Option<&str>) -> bool {
        self.rules.health.is_some_and(|start| id.is_some_and(|id| id.starts_with(start)))
    }

    /// Notes what the keys of a row and its stated decode rate say of the generation of its format.
    pub(crate) fn note_generation(
        &self,
        slots: &Slots<'_>,
        reading: Option<DecodeReading>,
        generations: &mut Generations,
    ) {
        for (slot, generation) in &self.generations {
            if slots.get(*slot).is_some() {
                generations.add(generation.what, generation.says, 1);
            }
        }
        if let Some(reading) = reading {
            generations.add(DECODE_RATE, reading.words(), 1);
        }
    }
}

/// The texts of a row, where they stand; most rows need none of them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Texts<'r> {
    /// In the slots of a line.
    Line(&'r Layout, &'r Slots<'r>),
    /// In a record.
    Record(&'r RequestRecord),
}

impl<'r> Texts<'r> {
    pub(crate) fn id(self) -> Option<Cow<'r, str>> {
        self.find(|texts| &texts.id, |record| record.id.as_deref())
    }

    pub(crate) fn session(self) -> Option<Cow<'r, str>> {
        self.find(|texts| &texts.session, |record| record.session.as_deref())
    }

    pub(crate) fn model(self) -> Option<Cow<'r, str>> {
        self.find(|texts| &texts.model, |record| record.model.as_deref())
    }

    pub(crate) fn version(self) -> Option<Cow<'r, str>> {
        self.find(|texts| &texts.version, |_| None)
    }

    fn find(
        self,
        slots_of: impl Fn(&TextSlots) -> &Vec<usize>,
        text_of: impl Fn(&'r RequestRecord) -> Option<&'r str>,
    ) -> Option<Cow<'r, str>> {
        match self {
            Self::Line(layout, slots) => slots_of(&layout.texts)
                .iter()
                .find_map(|slot| slots.get(*slot).and_then(Scalar::text)),
            Self::Record(record) => text_of(record).map(Cow::Borrowed),
        }
    }
}

/// The names of stated rates by slot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Names<'r> {
    /// Those of a table and the open names after them.
    Line(&'r Layout, &'r [String]),
    /// Those of a record.
    Record(&'r [ReportedRate]),
}

impl<'r> Names<'r> {
    pub(crate) fn get(self, slot: usize) -> &'r str {
        match self {
            Self::Line(layout, open) => match layout.table.fields.get(slot) {
                Some(field) => &field.path,
                None => open.get(slot - layout.table.fields.len()).map_or("", String::as_str),
            },
            Self::Record(rates) => rates.get(slot).map_or("", |rate| &rate.field),
        }
    }
}
