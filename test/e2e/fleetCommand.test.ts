import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/lib/secret.ts'
import { openConnections } from '../../src/replicas/connect.ts'
import { setupSchema } from '../../src/replicas/setupSchema.ts'
import { fillFleet } from '../support/fillFleet.ts'
import { startProgram } from '../support/realMonitor.ts'
import { postgresBin, startPostgres } from '../support/startPostgres.ts'
import { runCommand } from '../unit/cli/testIo.ts'

if (postgresBin === null) console.warn('skipped: spanwatch fleet, PostgreSQL is missing')

describe.skipIf(postgresBin === null)('spanwatch fleet', () => {
  test('serves all bridges, says so while PostgreSQL is away, and ends when it is told to', async () => {
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const database = await postgres.createDatabase('fleet')
    const connections = openConnections(
      { database: new Secret(database) },
      { most: 1, timeoutMs: 5_000 },
      'test',
    )
    await setupSchema(connections)
    await fillFleet(connections.query)
    await connections.close()
    const program = startProgram(['fleet', '--database', '${FLEET_URL}', '--listen', '127.0.0.1:0'], {
      env: { FLEET_URL: database },
    })
    onTestFinished(() => program.kill('SIGKILL'))
    const readUrl = () => /http:\/\/127\.0\.0\.1:\d+/.exec(program.stderr())?.[0]
    await expect.poll(readUrl, { timeout: 20_000 }).toBeDefined()
    const url = readUrl() ?? ''
    expect(await (await fetch(url)).text()).toContain('2 of 4 bridges are watched.')
    await postgres.kill()
    await expect.poll(async () => (await fetch(url)).status, { timeout: 10_000 }).toBe(503)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await postgres.start()
    await expect.poll(async () => (await fetch(url)).status, { timeout: 10_000 }).toBe(200)
    program.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(program.stderr()).not.toContain(database)
  })

  test('without a database it says what is missing', async () => {
    const { exitCode, err } = await runCommand(['fleet'])
    expect(exitCode).toBe(2)
    expect(err).toContain('database')
  })
})
