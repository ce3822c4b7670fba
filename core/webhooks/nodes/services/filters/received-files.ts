/** Files of events that services send. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';

/** From the smallest to the largest: Telegram sends a photo in up to four sizes. */
const SIZES = ['small', 'medium', 'large', 'extraLarge'];

/** The photo, video or document of a message. */
export function telegramFiles(value: unknown): JsonObject[] {
  const message = getPath(value, 'call.message') ?? getPath(value, 'call.channel_post');
  if (!isObject(message)) return [];
  const size = SIZES.indexOf(String(getPath(value, 'size') ?? 'large'));
  const photos = Array.isArray(message.photo) ? message.photo : [];
  const photo = photos[Math.min(Math.max(size, 0), photos.length - 1)];
  const id =
    getPath(photo, 'file_id') ?? getPath(message, 'video.file_id') ?? getPath(message, 'document.file_id');
  return id === undefined ? [] : [{ id }];
}

/** Files at Slack's own addresses: the token of the credential is sent to no other server. */
export function slackFiles(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value.filter(isObject) : [])
    .filter((file) => /^https:\/\/([\w-]+\.)*slack\.com\//.test(String(file.url_private_download)))
    .map((file) => ({ url: file.url_private_download, fileName: file.name, mimeType: file.mimetype }));
}
