import type { Dialect } from '../dialect.ts'
import type { Parameters, ParameterRules } from '../parameters.ts'
import type { Page } from '../paging.ts'
import type { World } from '../world.ts'

export interface Request {
  readonly world: World
  readonly dialect: Dialect
  readonly parameters: Parameters
  readonly page: Page
}

/** One address of the service, as data: what it takes and how the world answers it. */
export interface Endpoint {
  readonly name: string
  readonly chain: 'main' | 'zone'
  /** Below `/api/v5/<main>/`, and `<zone>/` for those of the zone chain. */
  readonly path: string
  readonly parameters: ParameterRules
  /** Left out where there are no pages. */
  readonly maxLimit?: number
  /** The envelope's `data`. */
  readonly answer: (request: Request) => unknown[]
}
