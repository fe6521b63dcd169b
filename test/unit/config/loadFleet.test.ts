import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadFleet } from '../../../src/config/loadFleet.ts'

const database = 'postgres://fleet:hunter22@db.example.com/spanwatch'

describe('the configuration of the page over all bridges', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spanwatch-fleet-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  function load(yaml: string, options: { readonly database?: string; readonly listen?: string } = {}) {
    const path = join(folder, 'fleet.yaml')
    writeFileSync(path, yaml)
    return loadFleet({ path, env: { DATABASE_URL: database }, ...options })
  }

  test('needs no file', () => {
    const loaded = loadFleet({ path: null, database, env: {} })
    expect(loaded).toMatchObject({
      ok: true,
      config: { http: { host: '127.0.0.1', port: 8090, token: null }, daily: null, caFile: null },
    })
    expect(loaded.ok && loaded.config.database.reveal()).toBe(database)
    expect(loadFleet({ path: null, env: {} })).toMatchObject({ ok: false })
    expect(JSON.stringify(loadFleet({ path: null, database: 'http://u:hunter22@x', env: {} }))).not.toContain(
      'hunter22',
    )
  })

  test('has http, channels and a daily report in a file, and the command line goes before it', () => {
    const yaml = `
database: \${DATABASE_URL}
ca: root.pem
http: { token: 0123456789abcdef0123456789abcdef }
channels:
  mail: { type: email, smtp: "smtp://127.0.0.1:25", from: a@example.com, to: [b@example.com] }
daily: { timezone: Europe/Berlin, channel: mail }
`
    expect(load(yaml, { listen: '0.0.0.0:80' })).toMatchObject({
      ok: true,
      config: {
        http: { host: '0.0.0.0', port: 80 },
        caFile: join(folder, 'root.pem'),
        channels: [{ name: 'mail', type: 'email' }],
        daily: { cron: '0 8 * * *', timezone: 'Europe/Berlin', channel: 'mail' },
      },
    })
    expect(load(yaml)).toMatchObject({ ok: true, config: { http: { port: 8090 } } })
  })

  test.each([
    ['databas: x', 'databas'],
    ['daily: { channel: mail }', 'no channel is named'],
    ['database: ${NONE}', 'NONE is not set'],
  ])('what is wrong is said at its place: %s', (yaml, said) => {
    const loaded = load(yaml, yaml.startsWith('database') ? {} : { database })
    expect(loaded.ok).toBe(false)
    expect(JSON.stringify(loaded)).toContain(said)
    expect(JSON.stringify(loaded)).not.toContain('hunter22')
  })

  test('the password of a database that is refused is not shown', () => {
    const loaded = load('database: mysql://u:hunter22@x\nhttp: [1]')
    expect(loaded.ok).toBe(false)
    expect(JSON.stringify('problems' in loaded ? loaded.problems : loaded)).not.toContain('hunter22')
  })
})
