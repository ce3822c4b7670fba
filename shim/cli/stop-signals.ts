/**
 * Handles Ctrl+C and similar signals. The first aborts `stop`, the second `force`; the third ends the
 * process.
 */
export function stopSignals(): { stop: AbortSignal; force: AbortSignal } {
  const stop = new AbortController();
  const force = new AbortController();
  const onSignal = () => {
    if (!stop.signal.aborted) stop.abort(new DOMException('interrupted', 'AbortError'));
    else if (!force.signal.aborted) force.abort();
    else process.exit(130);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return { stop: stop.signal, force: force.signal };
}
