import { formatBytes, formatTable, formatUntil } from '../../base/format.ts';
import type { PsAnswer } from '../client/api-types.ts';
import type { Command } from './command.ts';
import { writeJson } from './write-json.ts';

/** `tabd ps`: the loaded models. */
export const ps: Command = async ({ args, io, client }) => {
  const answer = await client.get<PsAnswer>('/api/ps');
  if (args.options.json) return writeJson(io.out, answer);
  const hasTabs = answer.models.some(({ tab }) => tab !== undefined);
  const rows = answer.models.map((model) => [
    model.name,
    model.digest.slice(0, 12),
    formatBytes(model.size),
    processor(model.size, model.size_vram),
    String(model.context_length ?? ''),
    formatUntil(new Date(model.expires_at)),
    ...(hasTabs ? [model.tab ?? ''] : []),
  ]);
  const head = ['NAME', 'ID', 'SIZE', 'PROCESSOR', 'CONTEXT', 'UNTIL', ...(hasTabs ? ['BROWSER'] : [])];
  io.out.write(formatTable([head, ...rows]));
};

/** `100% GPU`, `48%/52% CPU/GPU`. */
function processor(size: number, gpu: number): string {
  if (gpu <= 0) return '100% CPU';
  if (gpu >= size) return '100% GPU';
  const cpu = Math.round((1 - gpu / size) * 100);
  return `${cpu}%/${100 - cpu}% CPU/GPU`;
}
