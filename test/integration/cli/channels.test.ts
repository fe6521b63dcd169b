import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ChannelServer, startChannelServer } from '../../support/channelServer.ts'
import { startFakeAlertmanager } from '../../support/fakeAlertmanager.ts'
import { discordPath, startFakeDiscord } from '../../support/fakeDiscord.ts'
import { routingKey, startFakePagerDuty } from '../../support/fakePagerDuty.ts'
import { startFakeTeams, workflowPath } from '../../support/fakeTeams.ts'
import { botToken, chatId, startFakeTelegram } from '../../support/fakeTelegram.ts'
import { runCommand } from '../../unit/cli/testIo.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-channels-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const smallest = 'explorer: { baseUrl: "https://x.example/", chains: { main: A, zone: B } }\n'

function writeConfig(channel: string): string {
  const path = join(folder, 'spanwatch.yaml')
  writeFileSync(path, `${smallest}channels:\n  ops: ${channel}\n`)
  return path
}

const hook = () => startChannelServer(() => ({ status: 204 }))

const services: [string, () => Promise<ChannelServer>, (url: string) => string, string][] = [
  [
    'pagerduty',
    startFakePagerDuty,
    (url) => `{ type: pagerduty, routingKey: "${routingKey}", url: "${url}" }`,
    routingKey,
  ],
  [
    'alertmanager',
    startFakeAlertmanager,
    (url) => `{ type: alertmanager, url: "${url.replace('://', '://me:averysecretword@')}" }`,
    'averysecretword',
  ],
  ['teams', startFakeTeams, (url) => `{ type: teams, url: "${url}${workflowPath}" }`, 'averysecretsignature'],
  [
    'discord',
    startFakeDiscord,
    (url) => `{ type: discord, url: "${url}${discordPath}" }`,
    'averysecrettoken',
  ],
  [
    'telegram',
    startFakeTelegram,
    (url) => `{ type: telegram, botToken: "${botToken}", chatId: ${chatId}, url: "${url}" }`,
    botToken,
  ],
  [
    'webhook',
    hook,
    (url) => `{ type: webhook, url: "${url}/averysecretpath", body: '{ "text": {{ headline | json }} }' }`,
    'averysecretpath',
  ],
]

describe.each(services)('%s', (type, start, config, secret) => {
  let server: ChannelServer
  let path: string
  beforeEach(async () => {
    server = await start()
    path = writeConfig(config(server.url))
  })
  afterEach(() => server.close())

  test('channels test sends a test message, and says what came back', async () => {
    const { exitCode, out, err } = await runCommand(['channels', 'test', 'ops', '-c', path])
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
    expect(out).toMatch(new RegExp(`^ops \\(${type}\\): it took the test message \\(`))
    expect(server.posted[0]?.body).toContain('nobody needs to do anything')
  })

  test('channels test names a refusal, and no secret', async () => {
    server.respond({ status: 403, body: secret })
    const { exitCode, out, err } = await runCommand(['channels', 'test', 'ops', '-c', path])
    expect(exitCode).toBe(3)
    expect(out).toMatch(new RegExp(`^ops \\(${type}\\): it refuses us: 127\\.0\\.0\\.1:\\d+ answered 403`))
    expect(`${out}${err}`).not.toContain(secret)
  })

  test('check reaches for it, and shows no secret', async () => {
    const { out, err } = await runCommand(['check', '-c', path])
    expect(out).toContain(`ops: ${type} at ${new URL(server.url).host}`)
    expect(`${out}${err}`).not.toContain(secret)
  })
})

test.each([
  [
    'webhook, url: "https://h.example/", body: "{{ headlin }}"',
    /spanwatch\.yaml:3:\d+: unknown name `headlin`, did you mean `headline`\?/,
  ],
  [
    'webhook, url: "https://h.example/", body: "{ x: {{ headline }} }"',
    /spanwatch\.yaml:3:\d+: what comes out is no JSON/,
  ],
  [
    'webhook, url: "https://h.example/", contentType: "JSON"',
    /expected a type of content such as application\/json/,
  ],
  [
    'telegram, botToken: "bot", chatId: 1',
    /spanwatch\.yaml:3:\d+: channel ops: botToken is not one as @BotFather gives it/,
  ],
  ['telegram, botToken: "1:a", chatId: "ops room"', /channel ops: chatId is neither a number/],
  ['telegram, botToken: "1:a"', /`channels.ops.chatId` is missing|chatId/],
  ['pagerduty', /routingKey/],
  ['teams, url: ftp://x', /expected an http or https address/],
])('check refuses { type: %s } at its place', async (settings, says) => {
  const { exitCode, err } = await runCommand(['check', '-c', writeConfig(`{ type: ${settings} }`)])
  expect(exitCode).toBe(2)
  expect(err).toMatch(says)
})

test('a body in a block is refused at the line inside it', async () => {
  const path = join(folder, 'spanwatch.yaml')
  const body = '    body: |\n      { "a": 1,\n        "b": {{ severty | json }} }\n'
  writeFileSync(
    path,
    `${smallest}channels:\n  ops:\n    type: webhook\n    url: "https://h.example/"\n${body}`,
  )
  const { err } = await runCommand(['check', '-c', path])
  expect(err).toMatch(/spanwatch\.yaml:8:17: unknown name `severty`, did you mean `severity`\?/)
})
