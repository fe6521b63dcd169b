import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { readRuleTests, testsOf } from '../../../src/web/views/readRuleTests.ts'
import { createFakeWeb } from './support/fakeWeb.ts'

async function read(query = '') {
  const app = createWebApp(createFakeWeb().deps, { listenHost: '127.0.0.1', token: null })
  return (await app.request(`http://127.0.0.1/rules${query}`)).text()
}

const namesOf = (page: string) =>
  [...page.matchAll(/<tr role="row" data-key="([^"]+)"/g)].map(([, name]) => name)

test('rules stand in groups by what they watch; a group that found something is open', async () => {
  const page = await read()
  expect(
    [...page.matchAll(/<details class="rules" data-key="group-(\w+)"( open)?>/g)].map(([, ...of]) => of),
  ).toEqual([
    ['transfer', ' open'],
    ['escrow', ' open'],
    ['preconf', undefined],
  ])
  expect(page).toMatch(/<h2>Preconfirmations<\/h2> <span class="muted">1 cannot tell</)
})

test('a rule says what it watches, when it fired last and which tests it has', async () => {
  const page = await read()
  expect(page).toContain('Value left one chain and has not arrived on the other.')
  expect(page).toMatch(/data-label="Last fired"><time [^>]+>1h ago</)
  expect(page).toContain('transfers.test.yaml: a withdrawal is stalled after half an hour')
})

test.each([
  ['?q=DEPOSIT', ['deposit-stalled']],
  ['?severity=warning', ['deposit-stalled']],
  ['?state=blind', ['late']],
  ['?q=none-like-this', []],
])('%s chooses %o, all of it open', async (query, names) => {
  const page = await read(query)
  expect(namesOf(page)).toEqual(names)
  expect(page).not.toMatch(/<details class="rules" data-key="[^"]+">/)
})

test('a test belongs to the rules that it expects something of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(folder, 'own.test.yaml'),
    `tests:
  - { name: by its subject, expect: [{ at: 1m, told: [slow w1] }] }
  - { name: by its name, expect: [{ at: 1m, told: [{ rule: slow, at: 1m }] }] }
  - { name: of another one, expect: [{ at: 1m, firing: [slower w1] }] }
`,
  )
  writeFileSync(join(folder, 'broken.test.yaml'), 'tests: [')
  const tests = readRuleTests(folder)
  expect(testsOf('slow', tests)).toEqual(['own.test.yaml: by its subject', 'own.test.yaml: by its name'])
  expect(readRuleTests(join(folder, 'none'))).toEqual([])
})
