/** After this many responses of 503, the machine is not busy, but hangs. */
const TRIES_MAX = 60;

/** Retries while the gateway is too busy, after the time that it asks for, as clients do. */
export async function askAgain<Answer extends Pick<Response, "status" | "headers">>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    if (answer.status !== 503 || tries === TRIES_MAX) return answer;
    await Bun.sleep(Number(answer.headers.get("retry-after")) * 1_000);
  }
}
