/** The operations by resource and name. */
import { isObject } from '#core/base';
import { getPath, type Item, type JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { fileBytes, type S3Client } from './requests.ts';

export interface S3Call {
  context: NodeContext;
  client: S3Client;
  item: Item;
  index: number;
}

type Operation = (call: S3Call) => Promise<Item[]>;

const success: Item[] = [{ json: { success: true } }];

export const s3Operations: Record<string, Operation> = {
  'bucket.create': async (call) => {
    const region = await text(call, 'additionalFields.region');
    const acl = await text(call, 'additionalFields.acl');
    const body =
      region === '' || region === 'us-east-1'
        ? undefined
        : `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${region.replace(/[^\w-]/g, '')}</LocationConstraint></CreateBucketConfiguration>`;
    const bucket = await text(call, 'name');
    await call.client.send({
      method: 'PUT',
      bucket,
      ...(acl !== '' && { headers: { 'x-amz-acl': acl } }),
      ...(body !== undefined && { body }),
    });
    return success;
  },
  'bucket.delete': async (call) => {
    await call.client.send({ method: 'DELETE', bucket: await text(call, 'name') });
    return success;
  },
  'bucket.getAll': async (call) => {
    const answer = await call.client.xml({});
    const buckets = listOf(getPath(answer, 'ListAllMyBucketsResult.Buckets.Bucket'));
    return asItems(buckets.slice(0, await limitOf(call)));
  },
  'bucket.search': async (call) =>
    asItems((await listFiles(call, await text(call, 'additionalFields.prefix'))).files),
  'file.copy': async (call) => {
    const [source, target] = [await text(call, 'sourcePath'), await text(call, 'destinationPath')].map(
      bucketAndKey,
    );
    const from = `/${encodeURIComponent(source!.bucket)}/${source!.key.split('/').map(encodeURIComponent).join('/')}`;
    const answer = await call.client.xml({
      method: 'PUT',
      ...target!,
      headers: { 'x-amz-copy-source': from },
    });
    const result = answer.CopyObjectResult;
    return asItems([isObject(result) ? result : { success: true }]);
  },
  'file.delete': async (call) => {
    await call.client.send({ method: 'DELETE', ...(await fileOf(call)) });
    return success;
  },
  'file.download': async ({ context, client, item, index }) => {
    const file = await fileOf({ context, client, item, index });
    if (file.key.endsWith('/')) {
      throw new NodeError('Downloading a whole directory is not yet supported, please provide a file key');
    }
    const response = await client.send(file);
    const property = String((await context.parameter('binaryPropertyName', index)) || 'data');
    const binary = await context.binary.prepare(await fileBytes(response), {
      fileName: file.key.split('/').at(-1)!,
      mimeType: response.headers.get('content-type') ?? 'application/octet-stream',
    });
    return [{ json: item.json, binary: { ...item.binary, [property]: binary } }];
  },
  'file.getAll': async (call) => {
    const { files } = await listFiles(call, await text(call, 'options.folderKey'));
    return asItems(files.filter(({ Key, Size }) => !(String(Key).endsWith('/') && Number(Size) === 0)));
  },
  'file.upload': async (call) => {
    const { context, client, item, index } = call;
    const property = String((await context.parameter('binaryPropertyName', index)) || 'data');
    const isFile = (await context.parameter('binaryData', index)) !== false;
    const file = isFile ? context.binary.require(item, property, index) : undefined;
    const name = (await text(call, 'fileName')) || (file?.fileName ?? '');
    if (name === '') throw new NodeError('The file has no name', { itemIndex: index });
    const folder = await text(call, 'additionalFields.parentFolderKey');
    await client.send({
      method: 'PUT',
      bucket: await text(call, 'bucketName'),
      key: folder === '' ? name : `${folder.replace(/\/$/, '')}/${name}`,
      headers: { 'content-type': file?.mimeType ?? 'text/plain', ...(await uploadHeaders(call)) },
      body: file
        ? await context.binary.bytes(file)
        : String((await context.parameter('fileContent', index)) ?? ''),
    });
    return success;
  },
  'folder.create': async (call) => {
    const parent = await text(call, 'additionalFields.parentFolderKey');
    const name = `${(await text(call, 'folderName')).replace(/\/$/, '')}/`;
    const key = parent === '' ? name : `${parent.replace(/\/$/, '')}/${name}`;
    await call.client.send({ method: 'PUT', bucket: await text(call, 'bucketName'), key, body: '' });
    return success;
  },
  'folder.delete': async (call) => {
    const prefix = `${(await text(call, 'folderKey')).replace(/\/$/, '')}/`;
    const { bucket, files } = await listFiles(call, prefix, Number.POSITIVE_INFINITY);
    for (const { Key } of files) await call.client.send({ method: 'DELETE', bucket, key: String(Key) });
    return asItems([{ deleted: files.map(({ Key }) => ({ Key })) }]);
  },
  'folder.getAll': async (call) => {
    const { files } = await listFiles(call, await text(call, 'options.folderKey'));
    return asItems(files.filter(({ Key, Size }) => String(Key).endsWith('/') && Number(Size) === 0));
  },
};

async function text({ context, index }: S3Call, name: string): Promise<string> {
  return String((await context.parameter<unknown>(name, index, '')) ?? '').trim();
}

async function fileOf(call: S3Call) {
  return { bucket: await text(call, 'bucketName'), key: await text(call, 'fileKey') };
}

async function limitOf({ context, index }: S3Call): Promise<number> {
  if ((await context.parameter('returnAll', index, false)) === true) return Number.POSITIVE_INFINITY;
  return Math.max(1, Number(await context.parameter('limit', index, 100)) || 100);
}

async function uploadHeaders(call: S3Call): Promise<Record<string, string>> {
  const [acl, storage] = [
    await text(call, 'additionalFields.acl'),
    await text(call, 'additionalFields.storageClass'),
  ];
  const tags = await call.context.parameter<unknown>('tagsUi', call.index, {});
  const tagging = listOf(getPath(tags, 'tagsValues')).map(
    ({ key, value }) => `${encodeURIComponent(String(key))}=${encodeURIComponent(String(value))}`,
  );
  return {
    ...(acl !== '' && { 'x-amz-acl': acl }),
    ...(storage !== '' && { 'x-amz-storage-class': storage.toUpperCase().replace(/ /g, '_') }),
    ...(tagging.length > 0 && { 'x-amz-tagging': tagging.join('&') }),
  };
}

/** The files of a bucket whose keys begin with the prefix, page after page. */
async function listFiles(call: S3Call, prefix: string, most?: number) {
  const bucket = await text(call, 'bucketName');
  const limit = most ?? (await limitOf(call));
  const files: JsonObject[] = [];
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      ...(prefix !== '' && { prefix }),
      'max-keys': String(Math.min(1000, limit - files.length)),
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const result = (await call.client.xml({ bucket, query })).ListBucketResult;
    files.push(...listOf(getPath(result, 'Contents')));
    const next = getPath(result, 'NextContinuationToken');
    token = getPath(result, 'IsTruncated') === 'true' && next ? String(next) : undefined;
  } while (token !== undefined && files.length < limit);
  return { bucket, files: files.slice(0, limit) };
}

function bucketAndKey(path: string): { bucket: string; key: string } {
  const [bucket = '', ...rest] = path.replace(/^\//, '').split('/');
  return { bucket, key: rest.join('/') };
}

/** XML has one element as itself, and several as a list. */
function listOf(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

const asItems = (list: JsonObject[]): Item[] => list.map((json) => ({ json }));
