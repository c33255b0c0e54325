package dev.acp4j.it.sdk

import com.agentclientprotocol.agent.Agent
import com.agentclientprotocol.agent.AgentInfo
import com.agentclientprotocol.agent.AgentSession
import com.agentclientprotocol.agent.AgentSupport
import com.agentclientprotocol.agent.client
import com.agentclientprotocol.client.ClientInfo
import com.agentclientprotocol.common.Event
import com.agentclientprotocol.common.SessionCreationParameters
import com.agentclientprotocol.model.AcpMethod
import com.agentclientprotocol.model.AgentCapabilities
import com.agentclientprotocol.model.ContentBlock
import com.agentclientprotocol.model.PermissionOption
import com.agentclientprotocol.model.PermissionOptionId
import com.agentclientprotocol.model.PermissionOptionKind
import com.agentclientprotocol.model.PlanEntry
import com.agentclientprotocol.model.PlanEntryPriority
import com.agentclientprotocol.model.PlanEntryStatus
import com.agentclientprotocol.model.PromptResponse
import com.agentclientprotocol.model.RequestPermissionOutcome
import com.agentclientprotocol.model.SessionId
import com.agentclientprotocol.model.SessionNotification
import com.agentclientprotocol.model.SessionUpdate
import com.agentclientprotocol.model.StopReason
import com.agentclientprotocol.model.ToolCallContent
import com.agentclientprotocol.model.ToolCallId
import com.agentclientprotocol.model.ToolCallLocation
import com.agentclientprotocol.model.ToolCallStatus
import com.agentclientprotocol.model.ToolKind
import com.agentclientprotocol.protocol.Protocol
import com.agentclientprotocol.protocol.sendNotification
import com.agentclientprotocol.transport.StdioTransport
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put

private val sessions = AtomicInteger()

/** JavaSdkAgent, written with the Kotlin SDK. */
object KotlinSdkAgent {
    @JvmStatic
    fun main(args: Array<String>): Unit = runBlocking {
        val closed = CompletableDeferred<Unit>()
        val transport = StdioTransport(
            parentScope = this,
            ioDispatcher = Dispatchers.IO,
            input = System.`in`.asSource().buffered(),
            output = System.out.asSink().buffered(),
        )
        transport.onClose { closed.complete(Unit) }
        val protocol = Protocol(this, transport)
        Agent(protocol, Support(protocol))
        protocol.start()
        closed.await()
        coroutineContext.cancelChildren()
    }
}

private class Support(private val protocol: Protocol) : AgentSupport {
    override suspend fun initialize(clientInfo: ClientInfo) =
        AgentInfo(capabilities = AgentCapabilities(loadSession = true))

    override suspend fun createSession(sessionParameters: SessionCreationParameters): AgentSession =
        Session(SessionId("s${sessions.incrementAndGet()}"))

    override suspend fun loadSession(
        sessionId: SessionId,
        sessionParameters: SessionCreationParameters,
    ): AgentSession {
        tell(sessionId, SessionUpdate.UserMessageChunk(ContentBlock.Text("said before")))
        tell(sessionId, SessionUpdate.AgentMessageChunk(ContentBlock.Text("answered before")))
        return Session(sessionId)
    }

    private fun tell(session: SessionId, update: SessionUpdate) =
        protocol.sendNotification(AcpMethod.ClientMethods.SessionUpdate, SessionNotification(session, update))
}

private class Session(override val sessionId: SessionId) : AgentSession {
    private val cancelled = CompletableDeferred<Unit>()

    override suspend fun prompt(content: List<ContentBlock>, _meta: JsonElement?): Flow<Event> = flow {
        val text = (content.first() as ContentBlock.Text).text
        val rest = text.substringAfter(' ')
        val client = currentCoroutineContext().client
        var stopReason = StopReason.END_TURN
        when (text.substringBefore(' ')) {
            "say" -> rest.split("|").forEach { say(it) }
            "plan" -> {
                plan(rest, PlanEntryStatus.PENDING)
                plan(rest, PlanEntryStatus.COMPLETED)
            }
            "tool" -> tool(rest)
            "ask" -> say(ask(rest))
            "read" -> say(client.fsReadTextFile(rest).content)
            "write" -> {
                client.fsWriteTextFile(rest.substringBefore(' '), rest.substringAfter(' '))
                say("written")
            }
            "wait" -> {
                say("waiting")
                cancelled.await()
                stopReason = StopReason.CANCELLED
            }
            else -> error("not a command: $text")
        }
        emit(Event.PromptResponseEvent(PromptResponse(stopReason)))
    }

    override suspend fun cancel() {
        cancelled.complete(Unit)
    }
}

private suspend fun FlowCollector<Event>.say(text: String) =
    update(SessionUpdate.AgentMessageChunk(ContentBlock.Text(text)))

private suspend fun FlowCollector<Event>.update(update: SessionUpdate) = emit(Event.SessionUpdateEvent(update))

private suspend fun FlowCollector<Event>.plan(steps: String, status: PlanEntryStatus) =
    update(SessionUpdate.PlanUpdate(steps.split("|").map { PlanEntry(it, PlanEntryPriority.HIGH, status) }))

private suspend fun FlowCollector<Event>.tool(title: String) {
    val id = ToolCallId("call-1")
    update(
        SessionUpdate.ToolCall(
            toolCallId = id,
            title = title,
            kind = ToolKind.EDIT,
            status = ToolCallStatus.PENDING,
            locations = listOf(ToolCallLocation("/file.txt", 3u)),
            rawInput = buildJsonObject { put("number", 1) },
        ),
    )
    update(SessionUpdate.ToolCallUpdate(toolCallId = id, status = ToolCallStatus.IN_PROGRESS))
    update(
        SessionUpdate.ToolCallUpdate(
            toolCallId = id,
            status = ToolCallStatus.COMPLETED,
            content = listOf(
                ToolCallContent.Content(ContentBlock.Text("done")),
                ToolCallContent.Diff(path = "/file.txt", newText = "new", oldText = "old"),
            ),
        ),
    )
}

private suspend fun ask(title: String): String {
    val call = SessionUpdate.ToolCallUpdate(
        toolCallId = ToolCallId("call-2"),
        title = title,
        kind = ToolKind.EDIT,
        status = ToolCallStatus.PENDING,
        content = listOf(ToolCallContent.Content(ContentBlock.Text("why"))),
    )
    val options = listOf(
        PermissionOption(PermissionOptionId("yes"), "Yes", PermissionOptionKind.ALLOW_ONCE),
        PermissionOption(PermissionOptionId("no"), "No", PermissionOptionKind.REJECT_ONCE),
    )
    val outcome = currentCoroutineContext().client.requestPermissions(call, options, null).outcome
    return if (outcome is RequestPermissionOutcome.Selected) outcome.optionId.value else "cancelled"
}
