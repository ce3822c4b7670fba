import { UsageError } from '../../base/usage-error.ts';

/** A folder of a bucket, and how to reach it. */
export interface S3Place {
  /** The bucket's URL, with a slash at the end: `https://bucket.s3.eu-west-1.amazonaws.com/`. */
  bucketUrl: string;
  /** For people: `s3://bucket/folder`. */
  name: string;
  /** The beginning of all keys: empty, or with a slash at the end. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * Reads `s3://bucket/folder?region=…&endpoint=…`. Keys come from the variables that all programs for S3 read. With an
 * endpoint (MinIO, Ceph, R2, …) the bucket is a part of the path.
 * @throws UsageError
 */
export function readS3Url(text: string, env: NodeJS.ProcessEnv): S3Place {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bucket = url?.hostname ?? '';
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket))
    throw new UsageError('TABD_FILES_URL must look like s3://bucket/folder?endpoint=https://host');
  const endpoint = url.searchParams.get('endpoint') ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint))
    throw new UsageError(`the endpoint of TABD_FILES_URL is not an address: ${endpoint}`);
  const region = url.searchParams.get('region') ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1';
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError('TABD_FILES_URL needs the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const folder = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    bucketUrl: endpoint
      ? `${endpoint.replace(/\/+$/, '')}/${bucket}/`
      : `https://${bucket}.s3.${region}.amazonaws.com/`,
    name: `s3://${bucket}${folder ? `/${folder}` : ''}`,
    prefix: folder ? `${folder}/` : '',
    region,
    accessKeyId,
    secretAccessKey,
    ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
  };
}
