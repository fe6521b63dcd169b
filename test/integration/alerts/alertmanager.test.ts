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
import { hasProgram } from '../../support/hasProgram.ts'
import { createBench, createCondition, createRoute, createRule, start } from '../../unit/alerts/harness.ts'

/** What is true from when on, in milliseconds; halfway between two looks at the group, so that nothing hangs on luck. */
const script: readonly { readonly at: number; readonly firing: readonly string[] }[] = [
  { at: 0, firing: ['a'] },
  { at: 2_000, firing: ['a', 'b'] },
  { at: 4_000, firing: ['b'] },
  { at: 6_000, firing: ['a', 'b'] },
  { at: 8_000, firing: [] },
]
const endAt = 11_500

interface Told {
  readonly firing: readonly string[]
  readonly resolved: readonly string[]
}

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
    `route: { receiver: hook, group_by: [alertname], group_wait: 1s, group_interval: 2s, repeat_interval: 1h }
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

/**
 * The script through our engine, in virtual time. Our messages list what changed and no more, where Alertmanager lists the
 * group again: what fires after a message is what was told to fire so far.
 */
async function tellByUs(): Promise<Told[]> {
  const rule = createRule({ name: 'stalled', kind: 'chain.stalled' })
  const routes = [
    createRoute({ groupBy: ['rule'], groupWaitMs: 1_000, groupIntervalMs: 2_000, repeatMs: 3_600_000 }),
  ]
  const bench = createBench({ routes })
  const dispatcher = bench.startSending()
  for (let at = 0; at <= endAt; at += 100) {
    const firing = script.findLast((step) => step.at <= at)?.firing ?? []
    bench.database.transaction(() => {
      const findings = firing.map((name) => createCondition(name))
      bench.engine.applyCondition(rule, { findings, unknown: [] }, start + at)
      bench.engine.flush(start + at)
    })
    dispatcher.wake()
    await bench.clock.advance(100)
  }
  await dispatcher.stop()
  const names = new Map(
    bench.store
      .listAlerts({ limit: 9 })
      .map(({ fingerprint, subject }) => [fingerprint.slice(0, 8), subject]),
  )
  const standing = new Set<string>()
  return bench.ops.sent.map(({ items }) => {
    const resolved: string[] = []
    for (const { alertId, status } of items) {
      const name = names.get(alertId) ?? alertId
      if (status === 'resolved') resolved.push(name)
      if (status === 'resolved') standing.delete(name)
      else standing.add(name)
    }
    return { firing: [...standing].sort(), resolved: resolved.sort() }
  })
}

const expected: Told[] = [
  { firing: ['a'], resolved: [] },
  { firing: ['a', 'b'], resolved: [] },
  { firing: ['b'], resolved: ['a'] },
  { firing: ['a', 'b'], resolved: [] },
  { firing: [], resolved: ['a', 'b'] },
]

test('F53: fire, resolve and fire again through our engine: five messages, each with what changed', async () => {
  expect(await tellByUs()).toEqual(expected)
})

describe.runIf(hasProgram('prometheus-alertmanager'))('F53: beside Alertmanager', () => {
  // Where we differ on purpose (an end under a mute, an end after a restart, events that happen once) is tested at
  // F57, F9 and F56.
  test('one script of fire, resolve and fire again gives the same notifications', {
    timeout: 60_000,
  }, async () => {
    const [theirs, ours] = await Promise.all([tellByAlertmanager(), tellByUs()])
    expect(ours).toEqual(theirs)
  })
})
