import type { Statistics } from '../../client/api-types.ts';

/** The statistics that `--verbose` prints after an answer. */
export function statisticsText(statistics: Statistics): string {
  const { prompt_eval_count, prompt_eval_duration, eval_count, eval_duration } = statistics;
  const rows: [string, string | undefined][] = [
    ['total duration', duration(statistics.total_duration)],
    ['load duration', duration(statistics.load_duration)],
    ['prompt eval count', prompt_eval_count && `${prompt_eval_count} token(s)`],
    ['prompt eval duration', duration(prompt_eval_duration)],
    ['prompt eval rate', rate(prompt_eval_count, prompt_eval_duration)],
    ['eval count', eval_count && `${eval_count} token(s)`],
    ['eval duration', duration(eval_duration)],
    ['eval rate', rate(eval_count, eval_duration)],
  ].map(([label, value]) => [label as string, value ? String(value) : undefined]);
  return rows
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => `${`${label}:`.padEnd(22)}${value}\n`)
    .join('');
}

function duration(nanoseconds: number | undefined): string | undefined {
  if (!nanoseconds) return undefined;
  const seconds = nanoseconds / 1e9;
  return seconds >= 1 ? `${seconds.toFixed(2)} s` : `${(seconds * 1000).toFixed(2)} ms`;
}

function rate(count: number | undefined, nanoseconds: number | undefined): string | undefined {
  return count && nanoseconds ? `${(count / (nanoseconds / 1e9)).toFixed(2)} tokens/s` : undefined;
}
