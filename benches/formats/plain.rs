//! Rows of plain numbers: our own and MTPLX's.

use std::fmt::Write;

use super::vary;

const FITS: &str = "writing to a String cannot fail";

pub(super) fn own(text: &mut String, i: u64) {
    let prompt = vary(i, 200, 60_000);
    let cached = prompt * (i % 100) / 100;
    writeln!(
        text,
        r#"{{"id":"req-{i:08}","session":"s{}","model":"m","started_at_s":{}.25,"prompt_tokens":{prompt},"cached_tokens":{cached},"output_tokens":{},"ttft_s":{:.6},"e2e_latency_s":{:.6},"outcome":"ok","reported":{{"prefill_tok_s":{:.2}}}}}"#,
        i % 700,
        1_793_600_000 + i,
        1 + i % 500,
        0.05 + (prompt - cached) as f64 / 900.0,
        9.0 + (prompt - cached) as f64 / 900.0,
        900.0,
    )
    .expect(FITS);
}

pub(super) fn mtplx(text: &mut String, i: u64) {
    let prompt = vary(i, 200, 60_000);
    let cached = prompt * (i % 100) / 100;
    let (new, output, at) = (prompt - cached, 2 + i % 500, 1_795_954_700 + i);
    let (prefill, decode) = (new as f64 / 900.0, output as f64 / 30.0);
    writeln!(
        text,
        r#"{{"logged_at_s":{at}.5,"completed_at_s":{at}.0,"request_id":"req-{i:08}","session_id":"s{}","model":"m-30b-4bit","server_version":"2.12.2","prompt_tokens":{prompt},"cached_tokens":{cached},"new_prefill_tokens":{new},"completion_tokens":{output},"prompt_eval_time_s":{prefill:.6},"cache_restore_time_s":0.05,"lock_wait_time_s":0.01,"queue_wait_s":0.02,"ttft_s":{:.6},"request_elapsed_s":{:.6},"decode_elapsed_s":{decode:.6},"prefill_tok_s":{:.3},"prompt_tps":{:.3},"decode_tok_s":30.0,"post_commit":{{"best_prefix_len":{prompt},"cache_hit":true}}}}"#,
        i % 700,
        prefill + 0.08,
        prefill + decode + 0.08,
        900.0,
        prompt as f64 / prefill.max(0.001),
    )
    .expect(FITS);
}
