import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** What a receiver of Alertmanager is told. */
interface Notification {
  readonly alerts: readonly {
    readonly status: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }[]
}

export interface RunningAlertmanager {
  readonly url: string
  readonly notifications: Notification[]
  /** Where it keeps what it keeps. */
  readonly folder: string
  readonly pid: () => number
  /** Ended at once, and begun again with what it keeps on disk: no alerts. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Debian's Alertmanager on a port and a folder of its own, without a cluster. `route` are the fields of its root route. */
export async function startAlertmanager(route: string): Promise<RunningAlertmanager> {
  const notifications: Notification[] = []
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        notifications.push(body as Notification)
        response.end()
      },
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-alertmanager-'))
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  writeFileSync(
    join(folder, 'config.yml'),
    `route: { receiver: hook, ${route} }
receivers: [{ name: hook, webhook_configs: [{ url: "${hook}", send_resolved: true }] }]
`,
  )
  const port = await freePort()
  let manager = await launch(folder, port)
  return {
    url: `http://127.0.0.1:${port}`,
    notifications,
    folder,
    pid: () => manager.pid,
    async restart() {
      await manager.end()
      manager = await launch(folder, port)
    },
    async close() {
      await manager.end()
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function launch(folder: string, port: number) {
  const manager = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${join(folder, 'config.yml')}`,
      `--storage.path=${folder}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  )
  const ended = once(manager, 'exit')
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null)
    if (answer?.ok) break
    await pause(50)
  }
  return {
    pid: manager.pid ?? 0,
    async end() {
      manager.kill('SIGKILL')
      await ended
    },
  }
}
