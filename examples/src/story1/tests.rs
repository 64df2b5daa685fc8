use super::*;

fn rows(story: &Story) -> Vec<serde_json::Value> {
    story.log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn counted(knobs: &Knobs, id: &str) -> usize {
    let all = rows(&tell(knobs));
    all.iter().filter(|row| row["request_id"].as_str().unwrap().starts_with(id)).count()
}

#[test]
fn the_same_knobs_give_the_same_bytes_and_another_seed_gives_others() {
    let knobs = Knobs::story(ReportedField::Denominator);
    assert_eq!(tell(&knobs), tell(&knobs));
    assert_ne!(tell(&knobs).log, tell(&Knobs { seed: 2, ..knobs }).log);
}

#[test]
fn the_log_holds_the_requests_that_the_knobs_ask_for() {
    let story = Knobs::story(ReportedField::Denominator);
    let later = Knobs { log_days_later: 30, ..story.clone() };
    let missing = Knobs { own_rows: OwnRows::Missing, ..story.clone() };
    for (knobs, production, own, guests) in [
        (story, 541, 3, 5),
        (Knobs::healthy_twin(), 541, 8, 0),
        (later, 541, 0, 5),
        (missing, 541, 0, 5),
    ] {
        let found = ["req-", "bench-", "guest-"].map(|id| counted(&knobs, id));
        assert_eq!(found, [production, own, guests], "{knobs:?}");
    }
}

#[test]
fn the_field_moves_no_token_and_no_ttft() {
    let told = |field| {
        let mut all = rows(&tell(&Knobs::story(field)));
        for row in &mut all {
            let row = row.as_object_mut().unwrap();
            for moved in ["prompt_eval", "cache_restore", "lock_wait", "queue_wait", "prefill_tok"]
            {
                row.retain(|key, _| !key.starts_with(moved));
            }
        }
        all
    };
    assert_eq!(told(ReportedField::Numerator), told(ReportedField::Denominator));
    assert_eq!(told(ReportedField::Numerator), told(ReportedField::Honest));
}

#[test]
fn rows_stand_in_order_of_completion() {
    let all = rows(&tell(&Knobs::healthy_twin()));
    let ends: Vec<f64> = all.iter().map(|row| row["completed_at_s"].as_f64().unwrap()).collect();
    assert!(ends.is_sorted());
}
