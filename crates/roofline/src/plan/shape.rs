//! From a tensor list to weights, experts and mixers.

use super::{RuntimePlan, paths};
use crate::units::real;
use crate::{
    BitsPerWeight, Experts, LayerShape, MathPath, Matmul, Mixer, Model, ModelError, ModelErrorKind,
    ModelShape, Role, Tensor, Warning,
};

/// Bits of a cached number in the usual case, and in the best, where nobody states them.
const USUAL_KV_BITS: f64 = 16.0;
const FEWEST_KV_BITS: f64 = 4.0;

/// Matrices of one path, added up.
#[derive(Debug, Clone)]
struct Sum {
    paths: Vec<MathPath>,
    weights: f64,
    bytes: f64,
}

/// Sums by path, in the order in which the paths first appear.
#[derive(Debug, Clone, Default)]
struct Sums(Vec<Sum>);

impl Sums {
    fn add(&mut self, tensor: &Tensor, plan: &RuntimePlan) {
        let paths = paths::of_weights(tensor.stored(), plan.arithmetic);
        let (weights, bytes) = (tensor.parameters().as_f64(), tensor.bytes().get());
        match self.0.iter_mut().find(|sum| sum.paths == paths) {
            Some(sum) => {
                sum.weights += weights;
                sum.bytes += bytes;
            }
            None => self.0.push(Sum { paths, weights, bytes }),
        }
    }

    /// One product for each path, of the share of one of `copies`.
    fn products(self, copies: f64) -> impl Iterator<Item = Result<Matmul, ModelError>> {
        self.0.into_iter().map(move |sum| sum.product(copies))
    }

    /// All of them as one product that may take any of the paths.
    fn together(self) -> Option<Sum> {
        self.0.into_iter().reduce(|mut all, sum| {
            all.paths.extend(sum.paths);
            all.weights += sum.weights;
            all.bytes += sum.bytes;
            all
        })
    }
}

impl Sum {
    /// The share of one of `copies`. Where layers of a run differ, its mean.
    fn product(mut self, copies: f64) -> Result<Matmul, ModelError> {
        self.paths.sort_unstable();
        self.paths.dedup();
        let weights = (self.weights / copies).round().max(1.0);
        let bits = BitsPerWeight::new(8.0 * self.bytes / copies / weights).map_err(|e| {
            ModelError::caused(ModelErrorKind::OutOfRange, "expected bits of a weight", e)
        })?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at least one, and no model has more than 10^15 parameters"
        )]
        let weights = weights as u64;
        Ok(Matmul::new(weights, bits, self.paths))
    }
}

/// A model as the bounds see it.
pub(super) fn of(model: &Model, plan: &RuntimePlan) -> Result<ModelShape, ModelError> {
    let runs = model.layers();
    if runs.is_empty() {
        return Err(missing("the kinds of layers", layers_needed(model)));
    }
    let mut linear = vec![Sums::default(); runs.len()];
    let mut experts = vec![Sums::default(); runs.len()];
    let (mut outside, mut table, mut head) = (Sums::default(), Sums::default(), Sums::default());
    for tensor in model.text().filter(|tensor| tensor.is_matrix()) {
        let place = match tensor.role() {
            Role::Lookup | Role::Norm | Role::Scale => continue,
            Role::Embed => &mut table,
            Role::Head => &mut head,
            Role::Expert => {
                let run = model.experts_of(tensor).and_then(|(run, _)| experts.get_mut(run));
                run.ok_or_else(|| missing("how experts are routed", layers_needed(model)))?
            }
            _ => match tensor.run().and_then(|run| linear.get_mut(run)) {
                Some(run) => run,
                None => &mut outside,
            },
        };
        place.add(tensor, plan);
    }
    let mut layers = Vec::with_capacity(runs.len());
    for ((run, linear), experts) in runs.iter().zip(linear).zip(experts) {
        // Each block sums over a tensor's devices once; a layer is two blocks.
        let mut layer = LayerShape::new(run.kind.name(), run.count, run.kind.mixer()).with_sums(1);
        let count = real(run.count.max(1));
        layer.linear = linear.products(count).collect::<Result<_, _>>()?;
        if let (Some(routing), Some(all)) = (run.kind.routing(), experts.together()) {
            let each = all.product(count * real(routing.experts().max(1)))?;
            layer = layer.with_experts(Experts::new(routing, each));
        }
        layers.push(layer);
    }
    if !outside.0.is_empty() {
        let mut layer = LayerShape::new("other weights", 1, Mixer::None).with_sums(0);
        layer.linear = outside.products(1.0).collect::<Result<_, _>>()?;
        layers.push(layer);
    }
    let head = if model.is_tied() && head.0.is_empty() { table } else { head };
    let head =
        head.together().ok_or_else(|| missing("the output head", "its tensor"))?.product(1.0)?;

    let kv = plan.kv.or_else(|| model.stated_kv());
    let known = |bits| BitsPerWeight::new(bits).expect("a constant that is not negative");
    let (usual, fewest) = kv.map_or_else(
        || (known(USUAL_KV_BITS), known(FEWEST_KV_BITS)),
        |kv| (kv.bits_per_weight(), kv.bits_per_weight()),
    );
    let mut shape = ModelShape::new(layers, head, usual, paths::of_attention(kv));
    shape.fewest_kv_bits = fewest;
    shape.latent = plan.latent;
    shape.hidden = model.hidden();
    if kv.is_none() {
        shape.unknown.push("dtype of the key-value cache".to_owned());
    }
    Ok(shape)
}

fn layers_needed(model: &Model) -> &str {
    let needed = model.warnings().iter().find_map(|warning| match warning {
        Warning::LayerKindsUnknown { needs } => Some(needs.as_str()),
        _ => None,
    });
    needed.unwrap_or("a config.json")
}

fn missing(what: &str, needs: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Missing,
        format!("expected {what}, found none in the model's source; {needs} would tell"),
    )
}
