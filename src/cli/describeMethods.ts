import { isRpcMethod, rpcMethods, type RpcMethodName } from '../clients/rpc/rpcMethods.ts'

/** The methods and what they take, for `--help`. */
export function describeMethods(): string {
  const names = Object.keys(rpcMethods).filter(isRpcMethod)
  return `\nMethods ([] may be left out; a block is a number, 0x… or a tag, "pending" by default):\n${names.map((name) => `  ${describeMethod(name)}\n`).join('')}`
}

export function describeMethod(name: RpcMethodName): string {
  const { takes, otherwise } = rpcMethods[name] as {
    readonly takes: readonly string[]
    readonly otherwise: readonly unknown[]
  }
  const params = takes.map((param, at) =>
    otherwise[at] === undefined ? param.toUpperCase() : `[${param.toUpperCase()}]`,
  )
  return [name, ...params].join(' ')
}
