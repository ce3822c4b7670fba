import type { LlamaLogLevel } from '../llama-library.ts';
import type { Report } from '../protocol.ts';

const KEPT = 40;
const lines: string[] = [];

/** The last warnings and errors of llama.cpp: where the reason of a failure is found. */
export function recentLines(): readonly string[] {
  return lines;
}

export function nativeLogger(
  report: (message: Report) => void,
): (level: LlamaLogLevel, message: string) => void {
  return (level, text) => {
    const message = text.trimEnd();
    if (message === '') return;
    lines.push(message);
    if (lines.length > KEPT) lines.shift();
    report({ type: 'log', level: level === 'error' || level === 'fatal' ? 'error' : 'warn', message });
  };
}
