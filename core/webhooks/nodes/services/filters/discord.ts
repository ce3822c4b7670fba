/** Values of Discord. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { parseJsonParameter } from '../../shared/parse-json.ts';

/** Embeds, as fields or as JSON. */
export function discordEmbeds(value: unknown): unknown[] {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.map((entry) => {
    if (entry.inputMethod === 'json') return parseJsonParameter(entry.json, 'The embed is not valid JSON');
    const { color, author, image, thumbnail, video, timestamp, title, description, url } = entry;
    const embed: JsonObject = {
      title,
      description,
      url,
      color: colorOf(color),
      timestamp: timestamp ? new Date(String(timestamp)).toISOString() : undefined,
      author: author ? { name: author } : undefined,
      image: image ? { url: image } : undefined,
      thumbnail: thumbnail ? { url: thumbnail } : undefined,
      video: video ? { url: video } : undefined,
    };
    return Object.fromEntries(
      Object.entries(embed).filter(([, field]) => field !== undefined && field !== ''),
    );
  });
}

/** `#ff8000` as a number. */
function colorOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const digits = /^#?([\da-f]{6})$/i.exec(String(value ?? ''))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

const FLAGS: Record<string, number> = { SUPPRESS_EMBEDS: 4, SUPPRESS_NOTIFICATIONS: 4096 };

/** The sum of the flags. */
export function discordFlags(value: unknown): number {
  const names = Array.isArray(value) ? value.map(String) : [];
  return names.reduce((sum, name) => sum + (FLAGS[name] ?? 0), 0);
}
