import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkPredicates } from '../../../src/cli/loadProject.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { loadGood, warningsOf } from './loadInMemory.ts'

const example = readFileSync(new URL('../../../spanwatch.example.yaml', import.meta.url), 'utf8')
/** Every setting in force: lines with one # are settings, lines with two explain. */
const everything = example.replace(/^#(?!#)/gm, '')

const env = {
  SLACK_WEBHOOK_URL: 'https://hooks.slack.example/services/T/B/x',
  EXPLORER_KEY: 'key',
  EXPLORER_SECRET: 'secret',
  EXPLORER_PASSPHRASE: 'passphrase',
  SLACK_BOT_TOKEN: 'xoxb-1-2-token',
  SLACK_APP_TOKEN: 'xapp-1-2-token',
  SMTP_URL: 'smtp://user:password@mail.example:587',
  PAGERDUTY_ROUTING_KEY: 'routing-key-of-32-characters-0000',
  TEAMS_WORKFLOW_URL: 'https://flows.example/x',
  DISCORD_WEBHOOK_URL: 'https://discord.example/x',
  TELEGRAM_BOT_TOKEN: '123456:abcdefgh',
  HOOK_URL: 'https://hook.example/x',
  HOOK_SECRET: 'hook-secret',
  SPANWATCH_TOKEN: 'token',
  DATABASE_URL: 'postgres://spanwatch:password@db.example/spanwatch',
  HEARTBEAT_URL: 'https://hc.example/x',
}
const surroundings = { env, folders: ['/etc/spanwatch/rules'] }

test('the example works after its three edits, without a warning', () => {
  const edited = example
    .replace('https://explorer.example.com\n', 'https://other.example\n')
    .replace('MAINCHAIN', 'M')
  expect(warningsOf(edited, surroundings)).toEqual([])
})

test('the expressions of the example are good ones', () => {
  const { doc, config } = loadGood(everything, surroundings)
  expect(checkPredicates(doc, config)).toEqual([])
})

test('every setting of the example is one, and every section is in it', () => {
  const { config } = loadGood(everything, surroundings)
  expect(config.bridge.tokens).toHaveLength(1)
  const shown = new Set([...everything.matchAll(/^([A-Za-z]+):/gm)].map(([, name]) => name))
  expect(shown).toEqual(new Set(Object.keys(configSchema.shape)))
})

test('what the example shows as defaults are the defaults', () => {
  const shown = loadGood(everything, surroundings).config
  const plain = loadGood(example, surroundings).config
  const pick = ({ poll, start, retention, stateDir, rulesDir, explorer }: typeof shown) => {
    const { dialect, pace, timeoutMs } = explorer
    return { poll, start, retention, stateDir, rulesDir, dialect, pace, timeoutMs }
  }
  expect(pick(shown)).toEqual(pick(plain))
})
