import { defaultModel } from '#core/local-models';
import { formatAge, formatBytes, formatTable } from '../../base/format.ts';
import type { TagsAnswer } from '../client/api-types.ts';
import type { Command } from './command.ts';
import { writeJson } from './write-json.ts';

/** `tabd list [PREFIX]`: the models of `/api/tags`. */
export const list: Command = async ({ args, io, client }) => {
  const answer = await client.get<TagsAnswer>('/api/tags');
  const prefix = args.operands[0]?.toLowerCase() ?? '';
  const models = answer.models.filter(({ name }) => name.toLowerCase().startsWith(prefix));
  if (args.options.json) return writeJson(io.out, { ...answer, models });
  if (answer.models.length === 0) {
    io.out.write(`No models are installed. Fetch one with: tabd pull ${defaultModel}\n`);
    return;
  }
  const rows = models.map(({ name, digest, size, modified_at }) => [
    name,
    digest.slice(0, 12),
    formatBytes(size),
    formatAge(new Date(modified_at)),
  ]);
  io.out.write(formatTable([['NAME', 'ID', 'SIZE', 'MODIFIED'], ...rows]));
};
