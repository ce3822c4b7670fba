/** The nodes of file servers. */
import type { NodeType } from '../../node-api/node-type.ts';
import { ftp } from './ftp.ts';
import { awsS3, s3 } from './s3.ts';
import { ssh } from './ssh.ts';

export const fileServerNodeTypes: NodeType[] = [ftp, s3, awsS3, ssh];
