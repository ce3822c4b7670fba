import { type DeviceReport, readDevice } from './device-report.ts';

export interface StorageReport {
  /** Bytes; absent where the browser does not tell. */
  usage?: number;
  quota?: number;
  /** The browser keeps it even when the disk runs full; undefined where it cannot be asked. */
  persisted?: boolean;
}

/** What surrounds the models: device and storage. */
export interface Surroundings {
  device: DeviceReport;
  storage: StorageReport;
  /** Bytes that may still be stored. */
  free?: number;
}

type Told = Partial<Pick<StorageManager, 'estimate' | 'persisted'>> | undefined;

export async function readStorage(told: Told = navigator.storage): Promise<StorageReport> {
  const { usage, quota } = (await told?.estimate?.().catch(() => undefined)) ?? {};
  const persisted = await told?.persisted?.().catch(() => undefined);
  return {
    ...(usage !== undefined && { usage }),
    ...(quota !== undefined && { quota }),
    ...(persisted !== undefined && { persisted }),
  };
}

export async function readSurroundings(): Promise<Surroundings> {
  const [device, storage] = await Promise.all([readDevice(), readStorage()]);
  const { usage, quota } = storage;
  const known = usage !== undefined && quota !== undefined;
  return { device, storage, ...(known && { free: Math.max(0, quota - usage) }) };
}
