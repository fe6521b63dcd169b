import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const timeoutMs = 5_000

/**
 * Says one state to systemd through its own `systemd-notify`: Node has no datagram sockets in the file system. The
 * unit needs `NotifyAccess=all`, since it is a child that speaks.
 */
export async function sendToServiceManager(
  env: Readonly<Record<string, string | undefined>>,
  state: string,
): Promise<void> {
  const words = state === 'READY=1' ? ['--ready'] : [state]
  const { NOTIFY_SOCKET, PATH } = env
  await promisify(execFile)('systemd-notify', words, { env: { NOTIFY_SOCKET, PATH }, timeout: timeoutMs })
}
