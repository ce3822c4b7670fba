import type { LlamaLogLevel } from '../llama-library.ts';
import type { Report } from '../protocol.ts';

const MAX_LINES = 40;
const lines: string[] = [];

/** The last warnings and errors of llama.cpp. They often contain the reason of a failure. */
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
    if (lines.length > MAX_LINES) lines.shift();
    report({ type: 'log', level: level === 'error' || level === 'fatal' ? 'error' : 'warn', message });
  };
}
