package dev.acp4j.it.sdk

import com.agentclientprotocol.client.Client
import com.agentclientprotocol.client.ClientInfo
import com.agentclientprotocol.client.ClientOperationsFactory
import com.agentclientprotocol.client.ClientSession
import com.agentclientprotocol.common.ClientSessionOperations
import com.agentclientprotocol.common.Event
import com.agentclientprotocol.common.SessionCreationParameters
import com.agentclientprotocol.model.AcpCreatedSessionResponse
import com.agentclientprotocol.model.ClientCapabilities
import com.agentclientprotocol.model.ContentBlock
import com.agentclientprotocol.model.FileSystemCapability
import com.agentclientprotocol.model.PermissionOption
import com.agentclientprotocol.model.PermissionOptionKind
import com.agentclientprotocol.model.ReadTextFileResponse
import com.agentclientprotocol.model.RequestPermissionOutcome
import com.agentclientprotocol.model.RequestPermissionResponse
import com.agentclientprotocol.model.SessionId
import com.agentclientprotocol.model.SessionUpdate
import com.agentclientprotocol.model.ToolCallContent
import com.agentclientprotocol.model.ToolCallStatus
import com.agentclientprotocol.model.WriteTextFileResponse
import com.agentclientprotocol.protocol.Protocol
import com.agentclientprotocol.transport.StdioTransport
import java.lang.ProcessBuilder.Redirect
import java.nio.file.Files
import java.nio.file.Path
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.serialization.json.JsonElement

private val HEARD = Heard()

@Volatile
private var allows = true

/** JavaSdkClient, written with the Kotlin SDK. */
object KotlinSdkClient {
    @JvmStatic
    fun main(args: Array<String>): Unit = runBlocking(Dispatchers.IO) {
        val agent = ProcessBuilder(args.drop(1)).redirectError(Redirect.INHERIT).start()
        val transport = StdioTransport(
            parentScope = this,
            ioDispatcher = Dispatchers.IO,
            input = agent.inputStream.asSource().buffered(),
            output = agent.outputStream.asSink().buffered(),
        )
        val protocol = Protocol(this, transport)
        val client = Client(protocol)
        protocol.start()
        val files = FileSystemCapability(readTextFile = true, writeTextFile = true)
        val info = client.initialize(ClientInfo(capabilities = ClientCapabilities(fs = files)))
        HEARD.step("initialize", info.protocolVersion.toString(), listOf())
        val setup = SessionCreationParameters(args[0], emptyList())
        val session = client.newSession(setup, Operations)
        HEARD.step("new", session.sessionId.value, listOf("commands"))
        turns(session, Path.of(args[0]))
        allows = true
        HEARD.step("cancel", prompt(session, "say waiting\nwait"), listOf("message waiting"))
        client.loadSession(session.sessionId, setup, Operations)
        HEARD.step("load", "", listOf("user stream 3", "user ask Refused"))
        protocol.close()
        agent.outputStream.close()
        HEARD.step("closed", "", listOf())
        coroutineContext.cancelChildren()
    }
}

private suspend fun turns(session: ClientSession, folder: Path) {
    turn("say", session, "stream 3", listOf("message 0 ", "message 1 ", "message 2 "))
    turn("plan", session, "plan one,two", listOf("plan one completed, two completed"))
    val kinds = listOf("status completed", "content working", "diff old -> new")
    turn("tool", session, "kinds", (1..10).flatMap { kinds })
    turn("allowed", session, "ask Allowed", listOf("message allowed", "status completed"))
    allows = false
    turn("refused", session, "ask Refused", listOf("message rejected", "status failed"))
    turn("read", session, "read ${folder.resolve("old.txt")}", listOf("message one two"))
    turn("write", session, "write ${folder.resolve("new.txt")} three", listOf("message written"))
}

private suspend fun turn(name: String, session: ClientSession, text: String, wanted: List<String>) =
    HEARD.step(name, prompt(session, text), wanted)

/** Cancels the turn when the agent says that it waits. */
private suspend fun prompt(session: ClientSession, text: String): String {
    var stopReason = "none"
    session.prompt(listOf(ContentBlock.Text(text)), null).collect { event ->
        when (event) {
            is Event.SessionUpdateEvent -> {
                heard(event.update)
                if (event.update == SessionUpdate.AgentMessageChunk(ContentBlock.Text("waiting"))) {
                    session.cancel()
                }
            }
            is Event.PromptResponseEvent -> stopReason = event.response.stopReason.name
        }
    }
    return stopReason
}

private object Operations : ClientOperationsFactory, ClientSessionOperations {
    override suspend fun createClientOperations(
        sessionId: SessionId,
        sessionResponse: AcpCreatedSessionResponse,
    ): ClientSessionOperations = this

    override suspend fun requestPermissions(
        toolCall: SessionUpdate.ToolCallUpdate,
        permissions: List<PermissionOption>,
        _meta: JsonElement?,
    ): RequestPermissionResponse {
        val kind = if (allows) PermissionOptionKind.ALLOW_ONCE else PermissionOptionKind.REJECT_ONCE
        val option = permissions.first { it.kind == kind }
        return RequestPermissionResponse(RequestPermissionOutcome.Selected(option.optionId))
    }

    override suspend fun notify(notification: SessionUpdate, _meta: JsonElement?) = heard(notification)

    override suspend fun fsReadTextFile(path: String, line: UInt?, limit: UInt?, _meta: JsonElement?) =
        ReadTextFileResponse(Files.readString(Path.of(path)))

    override suspend fun fsWriteTextFile(path: String, content: String, _meta: JsonElement?): WriteTextFileResponse {
        Files.writeString(Path.of(path), content)
        return WriteTextFileResponse()
    }
}

private fun heard(update: SessionUpdate) {
    when (update) {
        is SessionUpdate.AgentMessageChunk -> HEARD.add("message ${text(update.content)}")
        is SessionUpdate.UserMessageChunk -> HEARD.add("user ${text(update.content)}")
        is SessionUpdate.PlanUpdate ->
            HEARD.add("plan " + update.entries.joinToString { "${it.content} ${it.status.name.lowercase()}" })
        is SessionUpdate.ToolCall -> {
            HEARD.add("tool ${update.title}")
            tool(update.status, update.content)
        }
        is SessionUpdate.ToolCallUpdate -> tool(update.status, update.content)
        is SessionUpdate.AvailableCommandsUpdate -> HEARD.add("commands")
        else -> {}
    }
}

private fun tool(status: ToolCallStatus?, content: List<ToolCallContent>?) {
    status?.let { HEARD.add("status ${it.name.lowercase()}") }
    content.orEmpty().forEach {
        when (it) {
            is ToolCallContent.Content -> HEARD.add("content ${text(it.content)}")
            is ToolCallContent.Diff -> HEARD.add("diff ${it.oldText?.trim()} -> ${it.newText.trim()}")
            else -> {}
        }
    }
}

private fun text(block: ContentBlock) = (block as? ContentBlock.Text)?.text ?: block.toString()
