/** A machine that is busy for longer than this many answers of 503 hangs. */
const TRIES_MAX = 60;

/** Asks again while the gateway is too busy, when it says so, as clients do. */
export async function askAgain<Answer extends Pick<Response, "status" | "headers">>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    if (answer.status !== 503 || tries === TRIES_MAX) return answer;
    await Bun.sleep(Number(answer.headers.get("retry-after")) * 1_000);
  }
}
