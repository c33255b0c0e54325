/**
 * Agents with LangChain4j and Spring Boot; docs/langchain4j.md and docs/spring-boot.md show them as they stand here.
 */
@NullMarked
package dev.acp4j.frameworks;

import org.jspecify.annotations.NullMarked;
