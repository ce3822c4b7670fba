/** A request's body as the item holds it: a value, or files. */
import type { StoredValue, WebhookOptions } from '../webhook-options.ts';
import { readFileBody, readTextBody } from './body-readers.ts';
import { type BodyKind, bodyKind, readContentType } from './content-type.ts';
import { readFormData } from './form-data.ts';
import type { ItemBody, RequestBodySource } from './item-body.ts';

const READERS: Record<BodyKind, (source: RequestBodySource) => Promise<ItemBody>> = {
  json: readTextBody,
  form: readTextBody,
  text: readTextBody,
  xml: readTextBody,
  multipart: readFormData,
  file: readFileBody,
};

/**
 * @param options the node's evaluated options for the body
 * @param node its `version`, `limits` in bytes, `files`, which opens the store for files, and `xml`, which converts XML
 * @throws BodyUnreadable, BodyTooLarge, or the reason of the request's signal when the client disconnects
 */
export function readItemBody(
  request: Request,
  options: StoredValue,
  { version, limits, files, xml }: Pick<RequestBodySource, 'version' | 'limits' | 'files' | 'xml'>,
): Promise<ItemBody> {
  const { raw, asFile, fileProperty } = options as WebhookOptions['body'];
  const contentType = readContentType(request.headers.get('content-type'));
  const storesAll = asFile === true && version < 1.1;
  const kind = storesAll ? 'file' : bodyKind(contentType.type);
  return READERS[kind]({
    version,
    limits,
    files,
    xml,
    request,
    contentType,
    kind,
    raw: raw === true,
    storesAll,
    fileProperty: typeof fileProperty === 'string' ? fileProperty.trim() : '',
  });
}
