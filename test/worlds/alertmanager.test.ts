import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { endAt, expected, groupIntervalMs, groupWaitMs, script, type Told } from '../support/fireAgain.ts'
import { hasProgram } from '../support/hasProgram.ts'

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

interface Payload {
  readonly alerts: readonly { readonly status: string; readonly labels: { readonly name: string } }[]
}

/** The script through Alertmanager, in real time. */
async function tellByAlertmanager(): Promise<Told[]> {
  const told: Told[] = []
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        const named = (status: string) =>
          (body as Payload).alerts
            .filter((alert) => alert.status === status)
            .map(({ labels }) => labels.name)
            .sort()
        told.push({ firing: named('firing'), resolved: named('resolved') })
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
    `route: { receiver: hook, group_by: [alertname], group_wait: ${groupWaitMs}ms, group_interval: ${groupIntervalMs}ms, repeat_interval: 1h }
receivers: [{ name: hook, webhook_configs: [{ url: "${hook}", send_resolved: true }] }]
`,
  )
  const port = await freePort()
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
  onTestFinished(async () => {
    manager.kill('SIGKILL')
    await ended
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const base = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`${base}/-/ready`).catch(() => null)
    if (answer?.ok) break
    await pause(50)
  }
  const begunAt = Date.now()
  let before: readonly string[] = []
  for (const { at, firing } of script) {
    await pause(Math.max(begunAt + at - Date.now(), 0))
    const ending = before.filter((name) => !firing.includes(name))
    const post = [...firing, ...ending].map((name) => ({
      labels: { alertname: 'stalled', name },
      startsAt: new Date(Date.now() - 1_000).toISOString(),
      ...(ending.includes(name) && { endsAt: new Date().toISOString() }),
    }))
    const answer = await fetch(`${base}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(post),
    })
    expect(answer.status).toBe(200)
    before = firing
  }
  await pause(Math.max(begunAt + endAt - Date.now(), 0))
  return told
}

describe.runIf(hasProgram('prometheus-alertmanager'))('F53: beside Alertmanager', () => {
  test('one script of fire, resolve and fire again gives the notifications that ours gives', {
    timeout: 60_000,
  }, async () => {
    expect(await tellByAlertmanager()).toEqual(expected)
  })
})
