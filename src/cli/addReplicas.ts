import { type Command, Option } from 'commander'
import type { Io } from './io.ts'

/** Commands on the nodes of a bridge, which keep one ledger by way of PostgreSQL. */
export function addReplicas(program: Command, io: Io, finish: (code: number) => void): void {
  const replicas = program
    .command('replicas')
    .description('the nodes of a bridge: who watches, who takes over')
  const add = (name: string, description: string) =>
    replicas
      .command(name)
      .description(description)
      .addOption(new Option('-c, --config <file>', 'whose replicas').default('./spanwatch.yaml'))
      .option('--database <url>', "instead: where PostgreSQL is, or '${NAME}' of the variable that says it")
      .option('--ca <file>', 'PEM of who signs its certificate')
  const addOfBridge = (name: string, description: string) =>
    add(name, description).option('--bridge <name>', 'which bridge; that of the configuration when left out')
  addOfBridge('status', 'who holds the lease, how far the others are, and what is wrong')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      "\nThe exit code is 1 when no node holds the lease.\n\nExamples:\n  spanwatch replicas status\n  spanwatch replicas status --database '${DATABASE_URL}' --bridge usdc-zone --json\n",
    )
    .action(async (options) => finish(await (await import('./replicas.ts')).showReplicas(io, options)))
  addOfBridge('promote', 'this node shall watch')
    .argument('<node>', 'its name')
    .action(async (node: string, options) =>
      finish(await (await import('./replicas.ts')).promoteReplica(io, node, options)),
    )
  addOfBridge('demote', 'whoever watches makes room for another node').action(async (options) =>
    finish(await (await import('./replicas.ts')).demoteReplica(io, options)),
  )
  addOfBridge('rebuild', "this node's ledger begins anew from a snapshot")
    .argument('<node>', 'its name')
    .action(async (node: string, options) =>
      finish(await (await import('./replicas.ts')).rebuildReplica(io, node, options)),
    )
  addOfBridge('forget', 'a node that was taken away is missed no more')
    .argument('<node>', 'its name')
    .action(async (node: string, options) =>
      finish(await (await import('./replicas.ts')).forgetReplica(io, node, options)),
    )
  add('setup', 'make the tables, and print the least rights of a role that runs nodes')
    .option('--role <name>', 'of that role', 'spanwatch')
    .addHelpText(
      'after',
      "\nOnce, with the address of a role that may make a schema.\n\nExamples:\n  spanwatch replicas setup --database '${ADMIN_URL}' > rights.sql\n",
    )
    .action(async (options) => finish(await (await import('./replicas.ts')).setupReplicas(io, options)))
}
