import { readS3Url, type S3Place } from '#shim/storage/s3/s3-place.ts';
import { S3Requests } from '#shim/storage/s3/s3-request.ts';
import { pythonPackage } from '../processes/python-package.ts';
import { freePorts } from '../processes/shim.ts';
import { ServerProcess } from './restartable-server.ts';

/** The S3 server of the Python package moto. It checks no signatures, and keeps everything in memory. */
export interface S3Server {
  process: ServerProcess;
  /** The environment of tabd, with the URL of a folder in a new bucket. */
  newBucket(): Promise<{ TABD_FILES_URL: string } & NodeJS.ProcessEnv>;
  close(): Promise<void>;
}

/** The server of moto on a free port. @param options further words of its command line */
export async function startMoto(options: string[] = [], env: Record<string, string> = {}) {
  const path = await pythonPackage('moto[s3]==5.2.5', ['flask', 'flask-cors']);
  const [port] = (await freePorts(1)) as [number];
  const server = new ServerProcess(
    port,
    'python3',
    ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port), ...options],
    { env: { ...process.env, PYTHONPATH: path, ...env } },
  );
  await server.start();
  return { server, port };
}

export async function startS3(): Promise<S3Server> {
  const { server, port } = await startMoto();
  let count = 0;
  return {
    process: server,
    async newBucket() {
      const env = {
        TABD_FILES_URL: `s3://bucket-${++count}/a folder/ü?endpoint=http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: 'key',
        AWS_SECRET_ACCESS_KEY: 'secret',
      };
      const place: S3Place = { ...readS3Url(env.TABD_FILES_URL, env), prefix: '' };
      await new S3Requests(place).send({ method: 'PUT', key: '' }, async (response) => response.text());
      return env;
    },
    close: () => server.stop('SIGKILL'),
  };
}
