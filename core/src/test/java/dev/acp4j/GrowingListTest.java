package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class GrowingListTest {
    @Test
    void listsThatGrowOutOfOneDoNotSeeWhatTheOthersGot() {
        GrowingList<String> root = GrowingList.of(List.of("a")).with("b").with("c");

        GrowingList<String> first = root.with("first").with("x");
        GrowingList<String> second = root.with("second").with("y");

        assertThat(root).containsExactly("a", "b", "c");
        assertThat(first).containsExactly("a", "b", "c", "first", "x");
        assertThat(second).containsExactly("a", "b", "c", "second", "y");
        assertThatThrownBy(() -> root.get(3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> root.add("d")).isInstanceOf(UnsupportedOperationException.class);
    }
}
