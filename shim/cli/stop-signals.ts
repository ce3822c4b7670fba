/** Ctrl+C and its like: the first one asks to stop, the second one not to wait, a third one ends the process. */
export function stopSignals(): { stop: AbortSignal; force: AbortSignal } {
  const stop = new AbortController();
  const force = new AbortController();
  const heard = () => {
    if (!stop.signal.aborted) stop.abort(new DOMException('interrupted', 'AbortError'));
    else if (!force.signal.aborted) force.abort();
    else process.exit(130);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, heard);
  return { stop: stop.signal, force: force.signal };
}
