import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, endProgram, startProgram } from '../support/realMonitor.ts'
import { failuresEvery, openReplicaWorld, type ReplicaWorld, untilHeld } from '../support/replicaWorld.ts'
import { until } from '../support/startMonitor.ts'
import { type Postgres, postgresBin, startPostgres } from '../support/startPostgres.ts'

interface FleetCase {
  readonly id: string
  readonly state: string
  readonly by: string | null
}

describe.skipIf(postgresBin === null)('what people ask of a bridge on the page over all bridges', () => {
  let server: Postgres | undefined
  let world: ReplicaWorld | undefined
  let fleet: Program | undefined
  let page = ''

  beforeAll(async () => {
    server = await startPostgres()
    const database = await server.createDatabase('fleet')
    world = await openReplicaWorld({
      databases: [database],
      bridge: 'usdc-zone',
      scenario: failuresEvery(1, 1),
    })
    world.nodes[0]?.start()
    await untilHeld(world)
    const program = startProgram(['fleet', '--database', database, '--listen', '127.0.0.1:0'])
    fleet = program
    const found = () => /"page":"([^"]+)"/.exec(program.stderr())?.[1]
    await until(() => found() !== undefined, 30_000)
    page = found() ?? ''
  })
  afterAll(async () => {
    if (fleet !== undefined) await endProgram(fleet)
    await world?.close()
    await server?.stop()
  })

  async function listCases(): Promise<FleetCase[]> {
    const response = await fetch(`${page}/api/cases`)
    const { cases } = (await response.json()) as { cases: FleetCase[] }
    return cases
  }

  async function post(path: string, body: object) {
    const response = await fetch(`${page}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-spanwatch-client': 'test' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  }

  test('whoever watches acknowledges a case in the name of who asked', async () => {
    await expect.poll(async () => (await listCases()).length, { timeout: 30_000 }).toBe(1)
    const [only] = await listCases()
    const id = String(only?.id).replace(/^c/, '')
    const answer = await post(`/api/bridges/usdc-zone/cases/c${id}/ack`, { by: 'dana' })
    expect(answer).toMatchObject({ status: 200 })
    await expect
      .poll(async () => (await listCases())[0], { timeout: 15_000 })
      .toMatchObject({ state: 'acknowledged', by: expect.stringContaining('dana') })
  })

  test('and makes a silence, or says why it does not', async () => {
    const endsAt = Date.now() + 3_600_000
    const silence = {
      matchers: ['rule=transfer-failed'],
      startsAt: null,
      endsAt,
      author: 'dana',
      comment: 'known',
    }
    expect(await post('/api/bridges/usdc-zone/silences', silence)).toMatchObject({ status: 200 })
    const wrong = await post('/api/bridges/usdc-zone/silences', { ...silence, matchers: ['nonsense'] })
    expect(wrong).toMatchObject({ status: 400 })
    const nobody = await post('/api/bridges/usdc-zone/cases/c999/ack', { by: 'dana' })
    expect(nobody).toMatchObject({ status: 404 })
  })
})
